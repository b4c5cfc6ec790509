import Bytes
import Domain
import Postgres
import Testing

@testable import Directory

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

    /// Somebody as an answer says who they are that has waited since a minute before noon.
    private func waiting(
        as identifier: Subject,
        transfer: String?,
        for group: ClientID? = nil
    ) -> ProviderPersonStore.Arrival {
        let answered = World.noon - .seconds(60)
        return ProviderPersonStore.Arrival(
            ProviderIdentity(
                identifier: identifier,
                email: nil,
                transferSubject: transfer,
                realUserStatus: nil,
                authenticatedAt: answered
            ),
            from: .apple,
            form: nil,
            group: group,
            asking: [],
            origin: World.origin,
            at: World.noon,
            // By the clock of the database, to which noon is none.
            provedBy: ProviderPartings.Proof(
                answeredAt: answered,
                arrivedAt: .now() - .seconds(60),
                for: World.app
            )
        )
    }

    @Test(arguments: [false, true])
    func `V53: an answer from before a deletion makes nobody, by whichever name of a transfer it knows them`(
        isTold: Bool
    ) async throws {
        try await withWorld { world in
            let store = ProviderPersonStore(world.database)
            _ = try await arrive(as: Self.former, world)
            try await world.database.transaction(in: World.acme) { transaction in
                let noting =
                    isTold
                    ? ProviderPartings.noting(
                        toldOf: Self.former,
                        at: .apple,
                        for: nil,
                        until: World.noon,
                        in: World.acme
                    ) : ProviderPartings.noting(of: Self.former, in: World.acme)
                _ = try await transaction.query(noting)
            }
            try world.admin("DELETE FROM users WHERE sub = $1", Self.former.rawValue)
            try world.admin("DELETE FROM provider_identities")

            let late = waiting(as: Self.present, transfer: "000000.transfer.0000")
            #expect(try await store.record(late, in: World.acme) == nil)
            #expect(try await store.hasParted(late, in: World.acme))
            #expect(try world.admin("SELECT FROM users WHERE sub = $1", Self.present.rawValue).isEmpty)

            // Nobody else is kept out, nor the same names at another team.
            #expect(try await store.record(late, in: World.rival) != nil)
            let stranger = waiting(as: Self.present, transfer: "000000.another.0000")
            #expect(try await store.record(stranger, in: World.acme) != nil)
        }
    }

    @Test func `V53: an answer from before a parting knows nobody again, though all else is as it was`()
        async throws
    {
        try await withWorld { world in
            try world.addApp(World.app)
            let store = ProviderPersonStore(world.database)
            let arrival = waiting(as: Self.former, transfer: nil, for: World.app)
            for _ in 0..<2 { #expect(try await store.record(arrival, in: World.acme) != nil) }

            let parting = ProviderPartings.noting(of: Self.former, for: World.app, in: World.acme)
            try await world.database.query(parting, in: World.acme)

            #expect(try await store.record(arrival, in: World.acme) == nil)
        }
    }

    @Test func `V53, V54: a consent that ends between the two halves of an arrival is not given again`()
        async throws
    {
        try await withWorld { world in
            try world.addApp(World.app)
            let ada = try await world.add("Ada")
            try world.admin(
                """
                INSERT INTO provider_identities (
                    team_id, provider, identifier, sub, state_at, created_at, last_seen_at, linked_at
                ) VALUES ('ACMETEAM01', 'apple', $1, $2, now(), now(), now(), now())
                """,
                Self.former.rawValue,
                ada.rawValue
            )
            let store = ProviderPersonStore(world.database)
            let arrival = waiting(as: Self.former, transfer: nil, for: World.app)
            var halves = 0
            let known = try await store.write(arrival, in: World.acme) { statements throws(PostgresFailure) in
                halves += 1
                if halves == 2 {
                    let parting = ProviderPartings.noting(of: ada, for: World.app, in: World.acme)
                    try await world.database.query(parting, in: World.acme)
                }
                return try await world.database.query(statements, in: World.acme)
            }

            #expect(known == nil && halves == 2)
            #expect(try world.count("consents", of: ada) == 0)
        }
    }
}
