import Bytes
import Directory
import Domain
import Federation
import OAuth
import Testing

/// People who come again by way of a provider: what is as it was is not written again.
@Suite struct FederatedRecognitionTests {
    private static let person = Subject(hexadecimal: "a1")
    private static let later = TestEnvironment.noon + .seconds(60)

    @discardableResult private func arrive(
        at moment: Timestamp, with address: String = "rita@icloud.example", to app: ClientID = TestEnvironment.app,
        in team: TeamID = .acme, _ environment: TestEnvironment
    ) async throws -> FederatedIdentityStore.Known {
        let email = try #require(EmailAddress(rawValue: address))
        let identity = ProviderIdentity(
            identifier: Self.person, email: SharedIdentity.Email(address: email, isVerified: true, isPrivate: false),
            transferSubject: nil, realUserStatus: nil, authenticatedAt: moment)
        let arrival = FederatedIdentityStore.Login(
            identity, from: .apple, form: nil, primaryAppID: app, asking: [.name, .email],
            origin: TestEnvironment.origin, at: moment)
        return try #require(try await FederatedIdentityStore(environment.database).record(arrival, in: team))
    }

    /// Which rows of the person's there are, each with the place where its newest version lies.
    private func versions(_ environment: TestEnvironment) throws -> [[String?]] {
        try environment.admin(
            """
            SELECT 'user', ctid::text FROM users WHERE sub = $1
            UNION ALL SELECT 'consent ' || app_id, ctid::text FROM consents WHERE sub = $1 ORDER BY 1
            """, Self.person.rawValue)
    }

    @Test func `leave all as it is but the moment, when nothing is new`() async throws {
        try await withEnvironment { environment in
            try environment.addApp(TestEnvironment.app)
            let first = try await arrive(at: TestEnvironment.noon, environment)
            let before = try versions(environment)

            let again = try await arrive(at: Self.later, environment)

            #expect(again.user == first.user && again.consent == first.consent)
            #expect(try versions(environment) == before)
            let seen = try environment.admin("SELECT extract(epoch FROM last_seen_at)::bigint FROM provider_identities")
            #expect(seen == [["1800000060"]])
        }
    }

    @Test func `bring another address, another group, or themselves back`() async throws {
        try await withEnvironment { environment in
            try environment.addApp(TestEnvironment.app)
            try environment.addApp(TestEnvironment.otherApp)
            try await arrive(at: TestEnvironment.noon, environment)

            let moved = try await arrive(at: Self.later, with: "rita@new.example", environment)
            #expect(moved.user.email?.rawValue == "rita@new.example")

            let other = try await arrive(
                at: Self.later, with: "rita@new.example", to: TestEnvironment.otherApp, environment)
            #expect(other.consent?.appID == TestEnvironment.otherApp)

            try environment.admin("UPDATE provider_identities SET state = 'revoked'")
            try await arrive(at: Self.later, with: "rita@new.example", environment)
            #expect(try environment.admin("SELECT state FROM provider_identities") == [["authorized"]])
        }
    }

    @Test func `are nobody to another team`() async throws {
        try await withEnvironment { environment in
            try environment.addApp(TestEnvironment.app)
            try environment.addApp(TestEnvironment.app, to: .rival)
            try await arrive(at: TestEnvironment.noon, environment)
            let before = try environment.admin("SELECT last_seen_at FROM provider_identities")

            try await arrive(at: Self.later, in: .rival, environment)

            let teams = try environment.admin(
                "SELECT team_id FROM users WHERE sub = $1 ORDER BY 1", Self.person.rawValue)
            #expect(teams == [["ACMETEAM01"], ["RIVALTEAM1"]])
            let acme = "SELECT last_seen_at FROM provider_identities WHERE team_id = 'ACMETEAM01'"
            #expect(try environment.admin(acme) == before)
        }
    }
}
