import Core
import Platform
import Postgres
import Testing

@testable import Accounts
@testable import OAuth
@testable import Registry
@testable import TestTeams

/// How much PostgreSQL reads in large tables: the planner chooses by a sample of them.
@Suite struct PlanLongTests {
    /// How many rows came from each such node of the plan.
    private func rows(from node: String, of statement: SQL, in team: TeamID, _ engine: Engine) async throws -> [Int] {
        let lines: [String] = try await engine.database.query(
            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) \(statement)", in: team
        ).column()
        return lines.filter { $0.contains(node) }.compactMap { line -> Int? in
            let end = line.split(separator: "actual rows=").last ?? ""
            return Int(end.prefix { $0.isNumber })
        }
    }

    private func plan(of statement: SQL, _ engine: Engine) async throws -> String {
        let lines: [String] = try await engine.database.query("EXPLAIN \(statement)", in: .acme).column()
        return lines.joined(separator: "\n")
    }

    /// Two thousand that Rival offered to Acme, a minute after one another.
    ///
    /// - Parameter app: what SQL makes of the number `n`.
    private func addTransfers(_ state: String, of app: String, _ engine: Engine) throws {
        try engine.admin(
            """
            INSERT INTO app_transfers (
                team_id, transfer_id, target_team, app_id, registration, state, offered_at, settled_at
            )
            SELECT 'RIVALTEAM1', translate(left(md5(n::text), 26), '0189', 'ghij'), 'ACMETEAM01', \(app), '{}', $1,
                now(), now() - n * interval '1 minute'
            FROM generate_series(1, 2000) AS n
            """, state)
        try engine.admin("ANALYZE app_transfers")
    }

    @Test func `V43: the page of transfers sorts some of two thousand that were accepted`() async throws {
        try await withEngine { engine in
            try engine.addTransfers(2000, from: "ACMETEAM01", to: "RIVALTEAM1", at: engine.clock.now.description)
            try engine.admin("ANALYZE app_transfers")
            let store = AppTransferStore(engine.database)
            for team in [TeamID.acme, .rival] {
                let listing = AppTransferStore.listing(team, at: engine.clock.now)
                let sorted = try await rows(from: "Sort (actual", of: listing, in: team, engine)
                #expect(!sorted.isEmpty && sorted.allSatisfy { $0 <= 500 }, "\(sorted)")
                #expect(try await store.list(in: team, at: engine.clock.now).count == 20)
            }
        }
    }

    @Test func `V43: a sign-in reads the last transfer of each App ID that the team has`() async throws {
        try await withEngine { engine in
            try addTransfers(
                "accepted", of: "CASE WHEN n < 1000 THEN 'com.acme.app' ELSE 'com.gone.app' || n END", engine)
            let selection = TeamSnapshotStore.transfers(of: .acme)
            let read = try await rows(from: " on app_transfers", of: selection, in: .acme, engine)
            #expect(!read.isEmpty && read.allSatisfy { $0 <= 500 }, "\(read)")
            #expect(try await engine.snapshot().transfers.incoming.count == 1)
        }
    }

    @Test func `V43: withdrawn offers of others are not read where a team signs people in`() async throws {
        try await withEngine { engine in
            try addTransfers("withdrawn", of: "'com.rival.app'", engine)
            let state = CredentialStateStore.selection(of: engine.ada, for: .other, in: .acme, at: engine.clock.now)
            for statement in [TeamSnapshotStore.transfers(of: .acme), state] {
                let plan = try await plan(of: statement, engine)
                #expect(plan.contains("app_transfers_taken") || plan.contains("app_transfers_given"), "\(plan)")
                for other in ["Seq Scan on app_transfers", "app_transfers_ended", "app_transfers_target_key"] {
                    #expect(!plan.contains(other), "\(plan)")
                }
            }
        }
    }

    @Test func `revoked refresh tokens end in place, in one page, and are found without reading others`() async throws {
        try await withRetention { teams, _ in
            try teams.issue(["live"], to: "ada", count: 20_000, in: "ACMETEAM01")
            try teams.issue(["-40 days", "-41 days"], to: "ben", in: "ACMETEAM01")
            try teams.issue(["live"], to: "cleo", in: "ACMETEAM01")
            try teams.admin("ANALYZE refresh_tokens")
            let connection = try AdminConnection(to: teams.conninfo)
            let counts =
                "SELECT seq_scan::text, n_tup_upd::text, n_tup_hot_upd::text, n_tup_del::text"
                + " FROM pg_stat_xact_user_tables WHERE relname = 'refresh_tokens'"

            try connection.execute("BEGIN; SELECT pippin_apply_retention('refresh_tokens', 5000)")
            let purge = try connection.execute(counts, [])
            try connection.execute("COMMIT")
            let other = try AdminConnection(to: teams.conninfo)
            try other.execute("BEGIN; UPDATE refresh_tokens SET revoked_at = now() WHERE sub = 'cleo'")
            let end = try other.execute(counts, [])
            try other.execute("COMMIT")

            #expect(purge == [["0", "0", "0", "1"]], "one is gone, nothing else was read")
            #expect(end.first?.dropFirst() == ["1", "1", "0"], "no index has to be told")
        }
    }

    @Test func `V43: of upstream requests and announcements reads those that go, not those that wait`() async throws {
        try await withRetention { teams, _ in
            try teams.admin(
                """
                INSERT INTO upstream_requests (
                    team_id, state_hash, provider, interaction_id, browser_hash, app_id, wants_name, wants_email,
                    created_at, answered_at
                )
                SELECT 'ACMETEAM01', convert_to('request' || n, 'UTF8'), 'apple', '', '', 'com.acme.app', true, true,
                    now() - CASE n WHEN 1 THEN interval '8 days' ELSE interval '2 days' END,
                    CASE WHEN n <> 2 THEN now() END
                FROM generate_series(1, 3000) AS n
                """)
            try teams.admin(
                """
                INSERT INTO upstream_announcements (
                    team_id, announcement_hash, provider, sub, app_id, form_given_name, given_name, family_name, announced_at,
                    held_until
                )
                SELECT 'ACMETEAM01', convert_to('mark' || n, 'UTF8'), 'apple', 'ada', 'com.acme.app',
                    CASE WHEN n <> 2 THEN 'Ada' END, 'Ada', '', now(),
                    now() - CASE n WHEN 1 THEN interval '366 days' ELSE interval '2 days' END
                FROM generate_series(1, 3000) AS n
                """)
            for (table, rules) in [
                ("upstream_requests", ["over", "waiting"]), ("upstream_announcements", ["nameless", "named"]),
            ] {
                try teams.admin("ANALYZE \(table)")
                let connection = try AdminConnection(to: teams.conninfo)
                try connection.execute("BEGIN")
                let deleted = try rules.map { rule in
                    try connection.execute("SELECT pippin_apply_retention($1, 5000)", ["\(table).\(rule)"])
                }
                let read = try connection.execute(
                    """
                    SELECT (seq_tup_read + idx_tup_fetch)::text FROM pg_stat_xact_user_tables WHERE relname = $1
                    """, [table])
                try connection.execute("COMMIT")
                #expect(deleted == [[["1"]], [["1"]]], "\(table)")
                #expect(Int(try #require(read[0][0])) ?? .max < 50, "\(table): \(read)")
            }
        }
    }

    @Test func `lists of traces are read by indexes under row-level security`() async throws {
        try await withEngine { engine in
            try engine.admin(Self.seed, TraceID.prefix(engine.clock.now - .seconds(86_400)))
            try engine.admin(
                """
                INSERT INTO trace_events (team_id, trace_id, at, kind, event)
                SELECT team_id, trace_id, now(), 'code_redeemed', '{}' FROM traces
                """)
            try engine.admin("ANALYZE traces, trace_events")
            let filters: [(String, (inout TraceFilter) -> Void)] = [
                ("pkey", { _ in }), ("team_id_client_id", { $0.client = .strict }),
                ("team_id_outcome", { $0.outcome = .failed }), ("team_id_cause", { $0.cause = .codeUsed }),
                ("team_id_sub", { $0.subject = Subject(rawValue: "sub7") }),
            ]
            for (index, change) in filters {
                var filter = TraceFilter()
                change(&filter)
                let selection = TraceListStore.selection(in: .acme, filter, after: nil, limit: 51, at: engine.clock.now)
                let plan = try await plan(of: selection, engine)
                // The partitions of these weeks are empty: the test's clock is ahead.
                #expect(!plan.contains("Seq Scan on traces_other"), "\(plan)")
                #expect(!plan.contains("Seq Scan on trace_events_other"), "\(plan)")
                #expect(plan.contains("traces_other_\(index)"), "\(plan)")
            }
        }
    }

    /// Twenty thousand traces; what is filtered for is rare.
    private static let seed = """
        INSERT INTO traces (team_id, trace_id, client_id, sub, outcome, cause, opening)
        SELECT 'ACMETEAM01', $1 || lpad(to_hex(n), 16, '0'),
            CASE n % 1000 WHEN 1 THEN 'com.acme.strict' ELSE 'com.acme.web' END, 'sub' || n,
            CASE n % 1000 WHEN 2 THEN 'failed' ELSE 'answered' END,
            CASE n % 1000 WHEN 2 THEN 'code_used' END, '{}'
        FROM generate_series(1, 20000) n
        """
}
