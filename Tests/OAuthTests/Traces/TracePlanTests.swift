import Bytes
import Domain
import Postgres
import Testing

@testable import OAuth
@testable import SignInTrace
@testable import TestTeams

@Suite struct `Lists of traces` {
    @Test func `are read by indexes under row-level security`() async throws {
        try await withEngine { engine in
            try engine.teams.admin(Self.seed, TraceID.prefix(engine.clock.now - .seconds(86_400)))
            try engine.teams.admin(
                """
                INSERT INTO flow_steps (team_id, flow_id, at, kind, step)
                SELECT team_id, flow_id, now(), 'code_redeemed', '{}' FROM flows
                """)
            try engine.teams.admin("ANALYZE flows, flow_steps")
            let filters: [(String, (inout TraceFilter) -> Void)] = [
                ("pkey", { _ in }), ("team_id_client_id", { $0.client = .strict }),
                ("team_id_outcome", { $0.outcome = .failed }), ("team_id_cause", { $0.cause = .codeUsed }),
                ("team_id_sub", { $0.subject = Subject(rawValue: "sub7") }),
            ]
            for (index, change) in filters {
                var filter = TraceFilter()
                change(&filter)
                let selection = TraceListStore.selection(in: .acme, filter, after: nil, limit: 51, at: engine.clock.now)
                let plan = try await engine.plan(of: selection)
                // The partitions of these weeks are empty: the test's clock is ahead.
                #expect(!plan.contains("Seq Scan on flows_other"), "\(plan)")
                #expect(!plan.contains("Seq Scan on flow_steps_other"), "\(plan)")
                #expect(plan.contains("flows_other_\(index)"), "\(plan)")
            }
        }
    }

    /// Twenty thousand flows; what is filtered for is rare.
    private static let seed = """
        INSERT INTO flows (team_id, flow_id, client_id, sub, outcome, cause, opening)
        SELECT 'ACMETEAM01', $1 || lpad(to_hex(n), 16, '0'),
            CASE n % 1000 WHEN 1 THEN 'com.acme.strict' ELSE 'com.acme.web' END, 'sub' || n,
            CASE n % 1000 WHEN 2 THEN 'failed' ELSE 'answered' END,
            CASE n % 1000 WHEN 2 THEN 'code_used' END, '{}'
        FROM generate_series(1, 20000) n
        """
}

extension Engine {
    fileprivate func plan(of selection: SQL) async throws -> String {
        let rows = try await teams.database.query("EXPLAIN \(selection)", in: .acme)
        var lines: [String] = []
        for var row in rows { lines.append(try row.next()) }
        return lines.joined(separator: "\n")
    }
}
