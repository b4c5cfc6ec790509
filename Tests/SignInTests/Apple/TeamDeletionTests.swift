import Core
import EventLoop
import Federation
import Platform
import Postgres
import Registry
import Simulator
import TestDatabase
import TestSupport
import Testing

@testable import Accounts
@testable import TestTeams

/// A team that goes gives back what Apple gave for its people: each token by a call of its own, with its receipt.
@Suite(.apple) struct `The deletion of a whole team` {
    @Test func `revokes every token at Apple before the team goes`() async throws {
        try Self.signIn()
        try await Self.round()

        #expect(try site.tokenStates() == ["ending", "ending"])
        #expect(try await Self.waiting() == 2)
        try await Self.round(later: 120)
        #expect(try Self.isDeleted() == false)

        try await site.work { try site.tokenStates() == ["revoked", "revoked"] }
        try await Self.round(later: 180)
        #expect(try Self.isDeleted())
        #expect(try site.receipts() == ["upstream_token.revoked", "upstream_token.revoked"])
        #expect(try site.count("consents", in: .appleSide) == 0)

        try await Self.round(later: 300)
        #expect(try site.tokenStates().isEmpty)
        #expect(try site.receipts().count == 2)
    }

    @Test func `closes the team to apps and people meanwhile`() async throws {
        try Self.signIn()
        let keys = "/t/ACMETEAM01/auth/keys"
        #expect(try site.ask("GET", keys).status == 200)

        try await Self.round()

        #expect(try site.ask("GET", keys).status == 404)
        #expect(try site.browser().get(Browser.authorize(Browser.everything)).status == 404)
        #expect(try site.client("credential-state", ["sub": "whoever"]).status == 404)
    }

    @Test func `waits while Apple fails, and goes once the outbox has given up`() async throws {
        try Self.signIn()
        site.script.set(.trouble, at: .revocation, times: .max)
        try await Self.round()
        try await site.work { try Self.interactions() >= 4 }
        try await Self.round(later: 86_400)
        #expect(try Self.isDeleted() == false)

        try site.makeJobsDue(afterAttempts: 18)
        try await site.work { try site.tokenStates() == ["refused", "refused"] }
        try await Self.round(later: 3 * 86_400)

        #expect(try Self.isDeleted())
        #expect(try site.receipts() == ["upstream_token.not_revoked", "upstream_token.not_revoked"])
    }

    @Test func `gives those another chance that were given up, or left behind`() async throws {
        try Self.signIn()
        try site.admin(
            """
            UPDATE upstream_tokens SET problem = 'client', problem_at = now(), state = CASE
                WHEN created_at = (SELECT min(created_at) FROM upstream_tokens) THEN 'refused' ELSE 'ending' END
            """)
        try await Self.round()
        #expect(try await Self.waiting() == 2)

        try await site.work { try site.tokenStates() == ["revoked", "revoked"] }
    }

    @Test func `has a receipt for what somebody gave up by hand`() async throws {
        try Self.signIn()
        try await Self.round()
        try site.admin("UPDATE jobs SET state = 'dead', problem = 'given up', finished_at = now(), keep_until = now()")

        try await Self.round(later: 60)

        #expect(try Self.isDeleted())
        #expect(try site.receipts() == ["upstream_token.not_revoked", "upstream_token.not_revoked"])
    }

    @Test func `goes on where a process was killed, and several at once queue each token once`() async throws {
        try Self.signIn()
        // What a process leaves that dies after the closing, before a token is queued.
        try site.admin("UPDATE teams SET closed_at = deletion_due_at WHERE team_id = 'ACMETEAM01'")
        _ = try await race(4) { _ in try await Self.round(later: 60) }
        #expect(try site.admin("SELECT FROM jobs WHERE kind = 'upstream.revocation'").count == 2)

        let victim = try await AppleProcess(beside: site)
        try await site.wait { try Self.interactions() >= 1 }
        try await victim.kill()
        try await Self.round(later: 120)
        // What it held comes back once its lease is over.
        try await site.work {
            try victim.endLeases(in: site.teams)
            return try site.tokenStates() == ["revoked", "revoked"]
        }
        try await Self.round(later: 180)

        #expect(try Self.isDeleted())
        #expect(try site.receipts() == ["upstream_token.revoked", "upstream_token.revoked"])
    }

    @Test func `touches no token of another team`() async throws {
        try Self.signIn()
        try site.copyTokensToRival()
        try await Self.round()
        let acme = "SELECT DISTINCT state FROM upstream_tokens WHERE team_id = 'ACMETEAM01'"
        try await site.work { try site.admin(acme) == [["revoked"]] }
        for later in [60, 120] { try await Self.round(later: later) }

        let states = try site.admin("SELECT team_id, state FROM upstream_tokens")
        #expect(states == [["RIVALTEAM1", "live"], ["RIVALTEAM1", "live"]])
        #expect(try site.admin("SELECT FROM jobs WHERE team_id = 'RIVALTEAM1'").isEmpty)
    }

    /// Two tokens of Apple's, in a team whose grace period ends now.
    private static func signIn() throws {
        _ = try site.tokens()
        _ = try site.tokens()
        try site.admin(
            "UPDATE teams SET deletion_due_at = $1::timestamptz WHERE team_id = 'ACMETEAM01'",
            site.clock.now.description)
    }

    /// What the schedule of one process does, so many seconds after the day was there.
    private static func round(later seconds: Int = 0) async throws {
        let teams = site.teams
        try await teams.loop.run {
            let system = Database(loop: teams.loop, configuration: .forTests(teams.conninfo, role: "pippin_system"))
            system.open()
            defer { system.close() }
            try await TeamDeletionRound(teams.database, SystemDatabase(system), obligations: [tokens]).run(
                at: teams.clock.now + .seconds(seconds))
        }
    }

    private static func waiting() async throws -> Int {
        try await site.teams.loop.run { try await tokens.waiting(in: .acme) }
    }

    private static var tokens: TeamTokenEndStore {
        let (database, server) = (site.teams.database, site.teams.server)
        return TeamTokenEndStore(database, server: server, accounts: AccountDeletion(database, random: server.random))
    }

    private static func interactions() throws -> Int {
        try site.admin("SELECT max(attempts)::text FROM jobs").first?[0].flatMap { Int($0) } ?? 0
    }

    private static func isDeleted() throws -> Bool {
        let deleted = "SELECT (deleted_at IS NOT NULL)::text FROM teams WHERE team_id = 'ACMETEAM01'"
        return try site.admin(deleted) == [["true"]]
    }
}
