import SignIn
import Testing

@testable import Console
@testable import Platform

@Suite(.environment) struct `Reading a whole audit log` {
    @Test func `V43: is left to the background where more waits for its seal than somebody waits for`() async throws {
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

        // The daily check is not what the member asked for.
        try await AuditChainStore(environment.parts.database).note(
            AuditReport(head: nil, checkpoint: nil, findings: [], isTruncated: false), in: .acme,
            by: .system("verification"), from: .local, isRoutine: true)
        let due = "SELECT verification_asked_at IS NOT NULL FROM audit_chains WHERE team_id = 'ACMETEAM01'"
        #expect(try environment.admin(due) == [["t"]])
    }
}
