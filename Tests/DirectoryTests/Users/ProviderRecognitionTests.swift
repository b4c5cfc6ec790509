import Bytes
import Directory
import Domain
import Testing

/// People who come again by way of a provider: what is as it was is not written again.
@Suite struct ProviderRecognitionTests {
    private static let person = Subject(hexadecimal: "a1")
    private static let later = World.noon + .seconds(60)

    @discardableResult
    private func arrive(
        at moment: Timestamp,
        with address: String = "rita@icloud.example",
        to app: ClientID = World.app,
        in team: TeamID = World.acme,
        _ world: World
    ) async throws -> ProviderPersonStore.Known {
        let email = try #require(EmailAddress(rawValue: address))
        let identity = ProviderIdentity(
            identifier: Self.person,
            email: SharedIdentity.Email(address: email, isVerified: true, isPrivate: false),
            transferSubject: nil,
            realUserStatus: nil,
            authenticatedAt: moment
        )
        let arrival = ProviderPersonStore.Arrival(
            identity,
            from: .apple,
            form: nil,
            group: app,
            asking: [.name, .email],
            origin: World.origin,
            at: moment
        )
        return try #require(try await ProviderPersonStore(world.database).record(arrival, in: team))
    }

    /// Which rows of the person's there are, each with the place where its newest version lies.
    private func versions(_ world: World) throws -> [[String?]] {
        try world.admin(
            """
            SELECT 'user', ctid::text FROM users WHERE sub = $1
            UNION ALL SELECT 'consent ' || app_id, ctid::text FROM consents WHERE sub = $1 ORDER BY 1
            """,
            Self.person.rawValue
        )
    }

    @Test func `leave all as it is but the moment, when nothing is new`() async throws {
        try await withWorld { world in
            try world.addApp(World.app)
            let first = try await arrive(at: World.noon, world)
            let before = try versions(world)

            let again = try await arrive(at: Self.later, world)

            #expect(again.user == first.user && again.consent == first.consent)
            #expect(try versions(world) == before)
            let seen = try world.admin(
                "SELECT extract(epoch FROM last_seen_at)::bigint FROM provider_identities"
            )
            #expect(seen == [["1800000060"]])
        }
    }

    @Test func `bring another address, another group, or themselves back`() async throws {
        try await withWorld { world in
            try world.addApp(World.app)
            try world.addApp(World.otherApp)
            try await arrive(at: World.noon, world)

            let moved = try await arrive(at: Self.later, with: "rita@new.example", world)
            #expect(moved.user.email?.rawValue == "rita@new.example")

            let other = try await arrive(at: Self.later, with: "rita@new.example", to: World.otherApp, world)
            #expect(other.consent?.appID == World.otherApp)

            try world.admin("UPDATE provider_identities SET state = 'revoked'")
            try await arrive(at: Self.later, with: "rita@new.example", world)
            #expect(try world.admin("SELECT state FROM provider_identities") == [["authorized"]])
        }
    }

    @Test func `are nobody to another team`() async throws {
        try await withWorld { world in
            try world.addApp(World.app)
            try world.addApp(World.app, to: World.rival)
            try await arrive(at: World.noon, world)
            let before = try world.admin("SELECT last_seen_at FROM provider_identities")

            try await arrive(at: Self.later, in: World.rival, world)

            let teams = try world.admin(
                "SELECT team_id FROM users WHERE sub = $1 ORDER BY 1",
                Self.person.rawValue
            )
            #expect(teams == [["ACMETEAM01"], ["RIVALTEAM1"]])
            let acme = "SELECT last_seen_at FROM provider_identities WHERE team_id = 'ACMETEAM01'"
            #expect(try world.admin(acme) == before)
        }
    }
}
