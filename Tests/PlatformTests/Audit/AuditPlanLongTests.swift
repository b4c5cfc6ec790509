import Core
import HTTP
import Postgres
import Testing

@testable import Platform

@Suite("Every search of the audit log") struct AuditPlanLongTests {

    /// Lends `body` a log of 100,000 events, which the planner knows.
    private func withManyEvents(_ body: @escaping @Sendable (AuditEnvironment) async throws -> Void) async throws {
        try await withAuditEnvironment { environment in
            try seedMany(100_000, environment)
            try environment.admin(
                """
                INSERT INTO audit_people (team_id, kind, sub, name)
                SELECT 'ACMETEAM01', 'person', 'sub' || n, 'Person ' || n FROM generate_series(1, 5000) AS n
                """)
            try environment.admin("ANALYZE audit_events, audit_words, audit_people")
            try await body(environment)
        }
    }

    @Test func `goes by an index, and past no more than it needs`() async throws {
        try await withManyEvents { environment in
            let start = Timestamp(seconds: 1_577_923_200)
            let cases: [(String, AuditFilter)] = [
                ("pkey", AuditFilter()), ("actor", AuditFilter { $0.actors = ["actor3"] }),
                ("action", AuditFilter { $0.action = "key.created" }),
                ("target", AuditFilter { $0.target = "thing77" }),
                ("target", AuditFilter { ($0.target, $0.targetKind) = ("thing77", "user") }),
                ("ip_key", AuditFilter { $0.addresses = AddressBlock("10.0.1.77") }),
                ("ip_key", AuditFilter { $0.addresses = AddressBlock("10.0.1.64/28") }),
                ("", AuditFilter { $0.outcome = .refused }), ("words", AuditFilter { $0.words = ["thing77"] }),
                ("words", AuditFilter { $0.words = ["thing77", "word17"] }),
                ("words", AuditFilter { ($0.words, $0.since) = (["thing77"], start) }),
                ("", AuditFilter { ($0.actors, $0.outcome) = (["actor0"], .refused) }),
            ]
            for (index, filter) in cases {
                let search = AuditSearchStore.Search(filter: filter, team: .acme)
                let cursor = AuditEntry.Place(at: start + .seconds(100_000), id: "f")
                for selection in [search.selection(before: nil, .page), search.selection(before: cursor, .page)] {
                    let plan = try await plan(of: selection, environment)
                    #expect(!isScanned(plan), "\(filter)\n\(plan)")
                    #expect(plan.contains(index), "\(filter)\n\(plan)")
                    #expect(removed(plan) < 6000, "\(filter)\n\(plan)")
                }
                let plan = try await plan(of: search.count, environment)
                #expect(!isScanned(plan), "\(filter)\n\(plan)")
            }
        }
    }

    /// Walking through the password sign-ins of years for one address would take as many looks as there are.
    @Test func `walks through what is rare, be it the words or the rest`() async throws {
        try await withManyEvents { environment in
            let cases: [(walksEvents: Bool, index: String, filter: AuditFilter)] = [
                (true, "ip_key", AuditFilter { ($0.words, $0.addresses) = (["word17"], AddressBlock("10.0.1.77")) }),
                (true, "target", AuditFilter { ($0.words, $0.target) = (["word17"], "thing77") }),
                (false, "words", AuditFilter { ($0.words, $0.action) = (["thing77"], "sign_in.completed") }),
                (false, "words", AuditFilter { ($0.words, $0.outcome) = (["thing77", "word17"], .succeeded) }),
            ]
            for (walksEvents, index, filter) in cases {
                let search = try await environment.search.search(for: filter, in: .acme)
                #expect(search.walksEvents == walksEvents, "\(filter)")
                for statement in [search.selection(before: nil, .page), search.count] {
                    let plan = try await plan(of: statement, environment)
                    #expect(!isScanned(plan), "\(filter)\n\(plan)")
                    #expect(removed(plan) < 6000, "\(filter)\n\(plan)")
                }
                // What nearly every event has may be counted from the table's beginning.
                let counting = try await plan(of: search.frequencies, environment)
                #expect(removed(counting) < 6000, "\(filter)\n\(counting)")
                #expect(try await plan(of: search.selection(before: nil, .page), environment).contains(index))
            }
        }
    }

    @Test func `stops where it has looked at much in vain, and goes on from there`() async throws {
        try await withManyEvents { environment in
            // Both are frequent, and no event has both.
            let filter = AuditFilter { ($0.words, $0.actors) = (["word1"], ["actor5"]) }

            let first = try await environment.search.page(matching: filter, in: .acme)
            #expect(first.entries.isEmpty && first.isPartial && first.next != nil)
            let second = try await environment.search.page(matching: filter, in: .acme, before: first.next)
            #expect(second.entries.isEmpty && !second.isPartial && second.next == nil)

            let batch = try await environment.search.batch(matching: filter, in: .acme)
            #expect(batch.entries.isEmpty && batch.next == nil)
        }
    }

    private func plan(of statement: SQL, _ environment: AuditEnvironment) async throws -> String {
        let rows = try await environment.database.query("EXPLAIN (ANALYZE, TIMING OFF) \(statement)", in: .acme)
        var lines: [String] = []
        for var row in rows { lines.append(try row.next()) }
        return lines.joined(separator: "\n")
    }

    /// Whether a table is read from end to end, the empty partitions of other months apart.
    private func isScanned(_ plan: String) -> Bool {
        ["audit_events_202001", "audit_words_202001", "audit_people"].contains { plan.contains("Seq Scan on \($0)") }
    }

    /// Rows that were read in vain.
    private func removed(_ plan: String) -> Int {
        plan.split(separator: "\n").filter { $0.contains("Rows Removed by Filter:") }.compactMap {
            $0.split(separator: " ").last.flatMap { Int($0) }
        }.reduce(0, +)
    }
}
