import Core
import OAuth
import Platform
import Postgres
import Testing

@testable import Directory
@testable import Federation

/// Somebody whose app went from one of Apple's teams to another is called otherwise there, and is the same person here.
@Suite struct UpstreamIdentityTests {
    private static let former = Subject(hexadecimal: "a1")
    private static let present = Subject(hexadecimal: "b2")

    private func arrive(
        as identifier: Subject, transfer: String? = "000000.transfer.0000", isNative: Bool = false,
        in team: TeamID = .acme, _ environment: TestEnvironment
    ) async throws -> Subject {
        let identity = UpstreamIdentity(
            identifier: identifier, email: nil, transferSubject: transfer, realUserStatus: nil, authenticatedAt: .noon)
        let arrival = UpstreamLogin(
            identity, from: .apple, form: nil, primaryAppID: nil,
            asking: AuthorizationRequest.Scope(name: false, email: false), origin: .test, at: .noon,
            provedBy: .now(for: .app))
        guard isNative else { return try await environment.identities.record(arrival, in: team).user.subject }
        return try await environment.identities.record(arrival, announcedBy: nil, in: team).user.subject
    }

    @Test func `transferred is what they were called, authorized what they are called`() async throws {
        try await withEnvironment { environment in
            #expect(try await arrive(as: Self.former, environment) == Self.former)
            #expect(try await arrive(as: Self.present, environment) == Self.former)
            _ = try await arrive(as: Self.present, environment)

            let states = try environment.admin("SELECT identifier, state FROM upstream_identities ORDER BY 1")
            #expect(states == [[Self.former.rawValue, "transferred"], [Self.present.rawValue, "authorized"]])
        }
    }

    /// The first of them adds the person while the others wait: from then on each holds the person before the identity.
    @Test(arguments: [false, true]) func `the first logins of a person at once all succeed, and make one person`(
        isNative: Bool
    ) async throws {
        try await withEnvironment { environment in
            for number in 10..<30 {
                let subject = Subject(hexadecimal: "c\(number)")
                try await withThrowingTaskGroup(of: Subject.self) { group in
                    for _ in 0..<8 {
                        group.addTask { try await arrive(as: subject, transfer: nil, isNative: isNative, environment) }
                    }
                    for try await found in group { #expect(found == subject) }
                }
            }

            #expect(try environment.count("users") == 20)
            let created = try environment.admin(
                "SELECT DISTINCT target FROM audit_events WHERE action = 'user.created'")
            #expect(try environment.count("audit_events") == 20 && created.count == 20)
        }
    }

    @Test func `another team's people keep their state`() async throws {
        try await withEnvironment { environment in
            _ = try await arrive(as: Self.former, in: .rival, environment)
            _ = try await arrive(as: Self.present, environment)

            let states = try environment.admin("SELECT team_id, state FROM upstream_identities ORDER BY 1")
            #expect(states == [["ACMETEAM01", "authorized"], ["RIVALTEAM1", "authorized"]])
        }
    }

    /// Somebody as an answer says who they are that has waited since a minute before noon.
    private func waiting(as identifier: Subject, transfer: String?, for primaryAppID: ClientID? = nil) -> UpstreamLogin
    {
        let answered = Timestamp.noon - .seconds(60)
        return UpstreamLogin(
            UpstreamIdentity(
                identifier: identifier, email: nil, transferSubject: transfer, realUserStatus: nil,
                authenticatedAt: answered), from: .apple, form: nil, primaryAppID: primaryAppID,
            asking: AuthorizationRequest.Scope(name: false, email: false), origin: .test, at: .noon,
            // By the clock of the database, to which noon is none.
            provedBy: UpstreamUnlinks.Proof(answeredAt: answered, arrivedAt: .now() - .seconds(60), for: .app))
    }

    @Test(arguments: [false, true])
    func `V53: an answer from before a deletion makes nobody, by whichever name of a transfer it knows them`(
        isTold: Bool
    ) async throws {
        try await withEnvironment { environment in
            _ = try await arrive(as: Self.former, environment)
            try await environment.database.transaction(in: .acme) { transaction in
                let noting =
                    isTold
                    ? UpstreamUnlinks.noting(toldOf: Self.former, at: .apple, for: nil, until: .noon, in: .acme)
                    : UpstreamUnlinks.noting(of: Self.former, in: .acme)
                _ = try await transaction.query(noting)
            }
            try environment.removePerson(Self.former)
            try environment.admin("DELETE FROM upstream_identities")

            let late = waiting(as: Self.present, transfer: "000000.transfer.0000")
            await #expect(throws: UpstreamFailure.unlinked) { try await environment.identities.record(late, in: .acme) }
            #expect(try environment.admin("SELECT FROM users WHERE sub = $1", Self.present.rawValue).isEmpty)

            // Nobody else is kept out, nor the same names at another team.
            _ = try await environment.identities.record(late, in: .rival)
            let stranger = waiting(as: Self.present, transfer: "000000.another.0000")
            _ = try await environment.identities.record(stranger, in: .acme)
        }
    }

    @Test func `V53: an answer from before a parting knows nobody again, though all else is as it was`() async throws {
        try await withEnvironment { environment in
            try environment.addApp(ClientID.app)
            let arrival = waiting(as: Self.former, transfer: nil, for: .app)
            for _ in 0..<2 { _ = try await environment.identities.record(arrival, in: .acme) }

            let parting = UpstreamUnlinks.noting(of: Self.former, for: .app, in: .acme)
            try await environment.database.query(parting, in: .acme)

            await #expect(throws: UpstreamFailure.unlinked) {
                try await environment.identities.record(arrival, in: .acme)
            }
        }
    }

    @Test func `V53, V54: a consent that ends between the two halves of an arrival is not given again`() async throws {
        try await withEnvironment { environment in
            try environment.addApp(ClientID.app)
            let ada = try await environment.add("Ada")
            try environment.admin(
                """
                INSERT INTO upstream_identities (
                    team_id, provider, identifier, sub, state_at, created_at, last_seen_at, linked_at
                ) VALUES ('ACMETEAM01', 'apple', $1, $2, now(), now(), now(), now())
                """, Self.former.rawValue, ada.rawValue)
            let arrival = waiting(as: Self.former, transfer: nil, for: .app)
            var halves = 0
            await #expect(throws: UpstreamFailure.unlinked) {
                try await environment.identities.write(arrival, in: .acme) { statements throws(PostgresFailure) in
                    halves += 1
                    if halves == 2 {
                        let parting = UpstreamUnlinks.noting(of: ada, for: .app, in: .acme)
                        try await environment.database.query(parting, in: .acme)
                    }
                    return try await environment.database.query(statements, in: .acme)
                }
            }

            // The third asks for the reason.
            #expect(halves == 3)
            #expect(try environment.count("consents", of: ada) == 0)
        }
    }
}

/// People who come again by way of a provider: what is as it was is not written again.
@Suite struct UpstreamRecognitionTests {
    private static let person = Subject(hexadecimal: "a1")
    private static let later = Timestamp.noon + .seconds(60)

    @discardableResult private func arrive(
        at moment: Timestamp, with address: String = "rita@icloud.example", to app: ClientID = .app,
        in team: TeamID = .acme, _ environment: TestEnvironment
    ) async throws -> UpstreamIdentityStore.Known {
        let email = try #require(EmailAddress(rawValue: address))
        let identity = UpstreamIdentity(
            identifier: Self.person, email: SharedIdentity.Email(address: email, isVerified: true, isPrivate: false),
            transferSubject: nil, realUserStatus: nil, authenticatedAt: moment)
        let arrival = UpstreamLogin(
            identity, from: .apple, form: nil, primaryAppID: app, asking: .all, origin: .test, at: moment,
            provedBy: .now(for: app))
        return try await environment.identities.record(arrival, in: team)
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
            try environment.addApp(ClientID.app)
            let first = try await arrive(at: .noon, environment)
            let before = try versions(environment)

            let again = try await arrive(at: Self.later, environment)

            #expect(again.user == first.user && again.consent == first.consent)
            #expect(try versions(environment) == before)
            let seen = try environment.admin("SELECT extract(epoch FROM last_seen_at)::bigint FROM upstream_identities")
            #expect(seen == [["\(Self.later.seconds)"]])
        }
    }

    @Test func `bring another address, another group, or themselves back`() async throws {
        try await withEnvironment { environment in
            try environment.addApp(ClientID.app)
            try environment.addApp(ClientID.otherApp)
            try await arrive(at: .noon, environment)

            let moved = try await arrive(at: Self.later, with: "rita@new.example", environment)
            #expect(moved.user.email?.rawValue == "rita@new.example")

            let other = try await arrive(at: Self.later, with: "rita@new.example", to: .otherApp, environment)
            #expect(other.consent?.appID == ClientID.otherApp)

            try environment.revokeIdentities()
            try await arrive(at: Self.later, with: "rita@new.example", environment)
            #expect(try environment.identityStates() == ["authorized"])
        }
    }
}

extension UpstreamUnlinks.Proof {
    /// What has just arrived, by the clock of the database, to which noon is none.
    static func now(for primaryAppID: ClientID) -> Self {
        Self(answeredAt: .noon, arrivedAt: .now(), for: primaryAppID)
    }
}
