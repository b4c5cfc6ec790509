import Directory
import Domain
import EventLoop
import Glibc
import Postgres
import Simulator
import Testing

@testable import Federation
@testable import TestTeams

/// Many revocations, while Apple fails half of the time and one of two processes dies at a moment of its own.
///
/// `PIPPIN_REVOCATIONS` says how many; the few hundred of every day take seconds.
@Suite struct `Many queued revocations over two processes` {
    private static let count = unsafe getenv("PIPPIN_REVOCATIONS").flatMap { unsafe Int(String(cString: $0)) } ?? 300

    @Test func `of which one dies drain to the end, with one receipt each`() async throws {
        try await withApple { site in
            try await Self.fill(site)
            site.script.set(.moody, at: .revocation, times: .max)
            let victim = try await AppleProcess(beside: site, lease: .seconds(5))
            let survivor = try await AppleProcess(beside: site, lease: .seconds(5))
            let moment = Int.random(in: Self.count / 20...Self.count / 2)
            try await site.wait(within: .seconds(900)) { try Self.settled(site) >= moment }
            try await victim.kill()
            try await site.wait(within: .seconds(900)) { try Self.settled(site) == Self.count }
            try await survivor.stop()

            let receipts = try site.teams.admin(
                """
                SELECT count(*)::text, count(DISTINCT after->>'token')::text FROM audit_events
                WHERE action = 'provider_token.revoked'
                """)
            #expect(receipts == [["\(Self.count)", "\(Self.count)"]])
            let jobs = try site.teams.admin("SELECT state, (sum(attempts) > count(*))::text FROM jobs GROUP BY 1")
            #expect(jobs == [["succeeded", "true"]])
        }
    }

    /// Tokens that Apple does not know are revoked as well as those it does.
    private static func fill(_ site: TestSite) async throws {
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

    private static func settled(_ site: TestSite) throws -> Int {
        try site.teams.admin("SELECT count(*)::text FROM provider_tokens WHERE state = 'revoked'").first?[0].flatMap {
            Int($0)
        } ?? 0
    }
}
