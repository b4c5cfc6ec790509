import Directory
import Domain
import EventLoop
import Postgres
import Simulator
import Testing

@testable import Federation
@testable import TestTeams

/// Many revocations, while Apple fails half of the time and one of two processes dies with calls under way.
@Suite(.apple) struct `Many queued revocations over two processes` {
    @Test func `of which one dies drain to the end, with one receipt each`() async throws { try await Self.drain(400) }

    fileprivate static func drain(_ count: Int) async throws {
        try await fill(count)
        site.script.set(.moody, at: .revocation, times: .max)
        let victim = try await AppleProcess(beside: site)
        let held = "SELECT worker FROM jobs WHERE worker IS NOT NULL"
        var name: String?
        try await site.wait {
            name = try site.teams.admin(held).first?[0]
            return name != nil
        }
        let survivor = try await AppleProcess(beside: site)
        try await site.wait { try settled() >= count / 4 }
        site.script.set(.slow, at: .revocation, times: .max)
        try await site.wait {
            try site.script.heldCount(at: .revocation) > 0 && !site.teams.admin(held + " AND worker = $1", name).isEmpty
        }
        try await victim.kill()
        site.script.set(.moody, at: .revocation, times: .max)
        site.script.release(.revocation)
        // What it held comes back once its lease is over.
        try await site.wait {
            try victim.endLeases(in: site.teams)
            return try settled() == count
        }
        try await survivor.stop()

        let receipts = try site.teams.admin(
            """
            SELECT count(*)::text, count(DISTINCT after->>'token')::text FROM audit_events
            WHERE action = 'provider_token.revoked'
            """)
        #expect(receipts == [["\(count)", "\(count)"]])
        let jobs = try site.teams.admin("SELECT state, (sum(attempts) > count(*))::text FROM jobs GROUP BY 1")
        #expect(jobs == [["succeeded", "true"]])
    }

    /// Tokens that Apple does not know are revoked as well as those it does.
    private static func fill(_ count: Int) async throws {
        let teams = site.teams
        try await teams.loop.run {
            let tokens = UpstreamTokenStore(server: teams.server)
            try await teams.database.transaction(in: .acme) { transaction in
                for number in 0..<count {
                    let token = UpstreamTokenStore.New(
                        text: "r.token.\(number)", provider: .apple, subject: teams.people.ada, identifier: nil,
                        primaryAppID: .app, clientID: .siwa, at: teams.clock.now)
                    try await transaction.query(tokens.insertion(of: token, in: .acme))
                    // Of live ones a person has a hundred at most.
                    guard number % 50 == 49 || number == count - 1 else { continue }
                    let end = UpstreamTokenEnd.parts(of: teams.people.ada, in: .acme)
                    try await transaction.query("WITH \(end) SELECT FROM provider_ended")
                }
            }
        }
    }

    private static func settled() throws -> Int {
        try site.teams.admin("SELECT count(*)::text FROM provider_tokens WHERE state = 'revoked'").first?[0].flatMap {
            Int($0)
        } ?? 0
    }
}

@Suite(.apple) struct RevocationDrainLongTests {
    @Test func `ten thousand queued revocations drain though one of two processes dies`() async throws {
        try await `Many queued revocations over two processes`.drain(10_000)
    }
}
