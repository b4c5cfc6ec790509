import Directory
import Domain
import Testing

@testable import Console

@Suite struct `Reading a whole audit log` {
    @Test func `V43: is limited per team, for exports and verifications together, and another team goes on`()
        async throws
    {
        try await withEnvironment { environment in
            var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            var other = try await environment.signedIn("Ben", [TeamID.rival: .owner])
            let works = TeamWorkLimit.audits(LimitStore(environment.parts.database)).count
            var statuses: [Int] = []
            for number in 0..<(works + 2) {
                let answer =
                    number % 2 == 0
                    ? try await owner.post("/console/ACMETEAM01/audit/verification")
                    : try await owner.post("/console/ACMETEAM01/audit/export", [("format", "csv")])
                statuses.append(answer.status)
                if answer.status == 429 {
                    #expect(answer["retry-after"].flatMap { Int($0) }.map { (1...300).contains($0) } == true)
                    #expect(answer.text.contains("10 times in five minutes"))
                }
            }

            #expect(statuses.prefix(works).allSatisfy { [200, 303].contains($0) }, "\(statuses)")
            #expect(statuses.suffix(2) == [429, 429])
            #expect(try await other.post("/console/RIVALTEAM1/audit/verification").status == 303)
        }
    }

    @Test func `V43: is left to the background where more waits for its seal than somebody waits for`() async throws {
        try await withEnvironment { environment in
            var owner = try await environment.signedIn("Ada", [TeamID.acme: .owner])
            try environment.admin(
                """
                INSERT INTO audit_events (
                    team_id, at, actor_kind, actor, action, target_kind, target, outcome
                )
                SELECT 'ACMETEAM01', date_trunc('month', now()) + n * interval '1 millisecond', 'system',
                    'test', 'key.revoked', 'key', 'key' || n, 'succeeded'
                FROM generate_series(1, 7000) AS n
                """)

            #expect(try await owner.post("/console/ACMETEAM01/audit/verification").status == 303)

            let chain = try environment.admin(
                """
                SELECT position::text, verification_asked_at IS NOT NULL, verified_at IS NULL
                FROM audit_chains WHERE team_id = 'ACMETEAM01'
                """)
            #expect(chain == [["5100", "t", "t"]])
        }
    }
}
