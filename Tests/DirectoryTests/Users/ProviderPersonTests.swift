import Bytes
import Directory
import Domain
import Testing

/// Somebody whose app went from one of Apple's teams to another is called otherwise there, and is the same person here.
@Suite struct ProviderPersonTests {
    private static let former = Subject(hexadecimal: "a1")
    private static let present = Subject(hexadecimal: "b2")

    private func arrive(
        as identifier: Subject,
        in team: TeamID = World.acme,
        _ world: World
    ) async throws -> Subject {
        let identity = ProviderIdentity(
            identifier: identifier,
            email: nil,
            transferSubject: "000000.transfer.0000",
            realUserStatus: nil,
            authenticatedAt: World.noon
        )
        let arrival = ProviderPersonStore.Arrival(
            identity,
            from: .apple,
            form: nil,
            group: nil,
            asking: [],
            origin: World.origin,
            at: World.noon
        )
        let known = try await ProviderPersonStore(world.database).record(arrival, in: team)
        return try #require(known).user.subject
    }

    @Test func `transferred is what they were called, authorized what they are called`() async throws {
        try await withWorld { world in
            #expect(try await arrive(as: Self.former, world) == Self.former)
            #expect(try await arrive(as: Self.present, world) == Self.former)
            _ = try await arrive(as: Self.present, world)

            let states = try world.admin("SELECT identifier, state FROM provider_identities ORDER BY 1")
            #expect(
                states == [[Self.former.rawValue, "transferred"], [Self.present.rawValue, "authorized"]]
            )
        }
    }

    @Test func `another team's people keep their state`() async throws {
        try await withWorld { world in
            _ = try await arrive(as: Self.former, in: World.rival, world)
            _ = try await arrive(as: Self.present, world)

            let states = try world.admin("SELECT team_id, state FROM provider_identities ORDER BY 1")
            #expect(states == [["ACMETEAM01", "authorized"], ["RIVALTEAM1", "authorized"]])
        }
    }
}
