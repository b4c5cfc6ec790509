import Accounts
import Core
import Crypto
import Directory
import EventLoop
import Platform
import Simulator
import Testing

@testable import TestTeams

/// Answers of Apple's that nobody had looked at when their person parted: neither the settlement of trips that nobody came
/// back from nor a browser that comes late brings them back.
@Suite struct `V53: An answer from before an unlinking` {
    private static let rita = Performer.regular.subject

    /// How somebody parts who has come to the app by way of Apple.
    enum End: CaseIterable, Sendable {
        case deleted, deletedThere, stopped, stoppedThere

        func come(token: String) async throws {
            switch self {
            case .deleted: try await site.deleteAccount(of: rita)
            case .deletedThere: #expect(try site.notification(site.event("account-delete")).status == 200)
            case .stopped: #expect(try site.client("revoke", ["token": token]).status == 200)
            case .stoppedThere: #expect(try site.notification(site.event("consent-revoked")).status == 200)
            }
        }
    }

    /// What is written of Acme's people.
    private func written() throws -> [[[String?]]] {
        try [
            "SELECT sub, given_name, family_name, email FROM users WHERE team_id = 'ACMETEAM01' ORDER BY sub",
            "SELECT identifier, sub, state, form_given_name FROM upstream_identities ORDER BY identifier",
            "SELECT sub, app_id, given_name FROM consents WHERE team_id = 'ACMETEAM01' ORDER BY sub, app_id",
        ].map { try site.admin($0) }
    }

    @Test(.notifications, arguments: End.allCases, [true, false])
    func `writes nothing down again, whether or not its browser comes`(_ end: End, _ comes: Bool) async throws {
        // The first answer has the name, which comes once.
        let (browser, back) = try site.back()
        let token = try site.tokens()
        site.clock.advance(by: .seconds(10))
        try await end.come(token: token)
        let before = try written()

        if comes {
            #expect(try browser.get(back).value(of: "code") == nil)
            #expect(try written() == before)
        }
        site.clock.advance(by: .seconds(180))
        try await site.withProcess { process in for _ in 1...2 { try await process.settle() } }
        #expect(try written() == before)
        #expect(try site.admin("SELECT FROM upstream_requests WHERE settled_at IS NULL").isEmpty)

        // Who comes again is here again.
        #expect(try site.isAlive(try site.tokens()))
    }

    @Test(.notifications, arguments: [End.deletedThere, .stoppedThere])
    func `makes nobody of whom Apple says so before anybody knows them`(_ end: End) async throws {
        let before = try written()
        _ = try site.browser().signInUntilBack()
        site.clock.advance(by: .seconds(10))
        try await end.come(token: "")
        site.clock.advance(by: .seconds(180))
        try await site.withProcess { try await $0.settle() }
        #expect(try written() == before)
    }

    @Test(.apple) func `makes nobody of an account that was disconnected, which can be connected again`() async throws {
        let own = try site.signedIn()
        try own.connect(.regular)
        _ = try site.browser().signInUntilBack()
        _ = try own.disconnect()
        site.clock.advance(by: .seconds(180))
        try await site.withProcess { try await $0.settle() }

        #expect(try site.identities().isEmpty)
        #expect(try site.count("users", of: Performer.regular.subject, in: .acme) == 0)
        #expect(try own.connect(.regular).body.contains("Apple is connected"))
    }

    @Test(.notifications) func `counts where somebody else has parted, or the same account at another team`()
        async throws
    {
        _ = try site.browser().signInUntilBack()
        site.clock.advance(by: .seconds(10))
        #expect(try site.notification(site.event("account-delete", of: .hidden)).status == 200)
        try site.admin(
            """
            INSERT INTO upstream_unlinks (team_id, provider, identifier_hash, app_id, unlinked_at)
            VALUES ('RIVALTEAM1', 'apple', sha256(convert_to($1, 'UTF8')), '', 'infinity')
            """, Self.rita.rawValue)
        site.clock.advance(by: .seconds(180))
        try await site.withProcess { try await $0.settle() }
        #expect(try site.identities() == [[Self.rita.rawValue, Self.rita.rawValue]])
    }
}

extension TestSite {
    /// Deletes somebody as the team does.
    func deleteAccount(of subject: Subject) async throws {
        let teams = teams
        let receipt = try await teams.loop.run {
            try await AccountDeletion(teams.database, random: .system).delete(
                subject, in: .acme, by: .command("test"), from: TestTeams.origin)
        }
        #expect(receipt != nil)
    }

    /// Suspends somebody as the team does, and says whether they were there to be.
    @discardableResult func suspend(_ subject: Subject) async throws -> Bool {
        let teams = teams
        return try await teams.loop.run {
            try await UserSuspensionStore(teams.database).suspend(
                subject, because: "lost phone", in: .acme, by: .command("test"), from: TestTeams.origin)
        }
    }

    @discardableResult func lift(_ subject: Subject) async throws -> Bool {
        let teams = teams
        return try await teams.loop.run {
            try await UserSuspensionStore(teams.database).unsuspend(
                of: subject, in: .acme, by: .command("test"), from: TestTeams.origin)
        }
    }
}
