import Directory
import Domain
import OAuth
import Postgres
import TestTeams
import Testing

/// What is removed of what a client or a person leaves behind, and how much is read for it.
@Suite struct `A purge` {
    @Test func `V43: takes cut-offs of clients that are gone, once no token can be left`() async throws {
        try await withPurging { teams, system in
            for client in ["*", "com.acme.web", "com.acme.strict"] {
                try teams.admin(
                    "INSERT INTO token_cutoffs (team_id, client_id, not_before) VALUES ('ACMETEAM01', $1, now())",
                    client)
            }
            let gone = "SELECT client_id FROM token_cutoffs WHERE client_gone_at IS NOT NULL ORDER BY client_id"
            try teams.admin("DELETE FROM client_identifiers WHERE identifier IN ('com.acme.web', 'com.acme.strict')")
            #expect(try teams.admin(gone) == [["com.acme.strict"], ["com.acme.web"]])
            // A client of the same name finds what was cut off dead.
            try teams.admin(
                """
                INSERT INTO client_identifiers (team_id, identifier, kind)
                VALUES ('ACMETEAM01', 'com.acme.web', 'service')
                """)
            #expect(try teams.admin(gone) == [["com.acme.strict"]])
            #expect(try await BatchedPurge.notBefores.run(on: system) == 0)
            try teams.admin(
                "UPDATE token_cutoffs SET client_gone_at = now() - interval '49 hours' WHERE \(Self.isGone)")
            #expect(try await BatchedPurge.notBefores.run(on: system) == 1)
            #expect(try teams.admin("SELECT client_id FROM token_cutoffs ORDER BY 1") == [["*"], ["com.acme.web"]])
        }
    }

    private static let isGone = "client_gone_at IS NOT NULL"

    @Test func `V43: takes receipts of deletions with their tokens after 400 days`() async throws {
        try await withPurging { teams, system in
            for (letter, days) in [("a", "401"), ("b", "399")] {
                try teams.admin(
                    """
                    WITH receipt AS (
                        INSERT INTO deletion_receipts (team_id, receipt_id, sub, created_at)
                        VALUES ('ACMETEAM01', repeat($1, 26), 'ada', now() - $2 * interval '1 day') RETURNING *
                    )
                    INSERT INTO deletion_receipt_tokens (team_id, receipt_id, number, client_id, issued_at, fate)
                    SELECT team_id, receipt_id, 1, 'com.acme.web', now(), 'revoked' FROM receipt
                    """, letter, days)
            }
            #expect(try await BatchedPurge.deletionReceipts.run(on: system) == 1)
            for table in ["deletion_receipts", "deletion_receipt_tokens"] {
                #expect(try teams.admin("SELECT left(receipt_id, 1) FROM \(table)") == [["b"]])
            }
        }
    }

    @Test func `V43: forgets with a client that it redeemed a code`() async throws {
        try await withPurging { teams, _ in
            for client in ["com.acme.web", "com.acme.strict"] {
                try teams.admin("INSERT INTO redeeming_clients (team_id, client_id) VALUES ('ACMETEAM01', $1)", client)
            }
            try teams.admin("DELETE FROM client_identifiers WHERE identifier = 'com.acme.web'")
            #expect(try teams.admin("SELECT client_id FROM redeeming_clients") == [["com.acme.strict"]])
        }
    }

    @Test func `V43: of upstream requests and announcements reads those that go, not those that wait`() async throws {
        try await withPurging { teams, _ in
            try teams.admin(
                """
                INSERT INTO provider_trips (
                    team_id, state_hash, provider, attempt_id, browser_hash, app_id, wants_name, wants_email,
                    created_at, answered_at
                )
                SELECT 'ACMETEAM01', convert_to('trip' || n, 'UTF8'), 'apple', '', '', 'com.acme.app', true, true,
                    now() - CASE n WHEN 1 THEN interval '8 days' ELSE interval '2 days' END,
                    CASE WHEN n <> 2 THEN now() END
                FROM generate_series(1, 3000) AS n
                """)
            try teams.admin(
                """
                INSERT INTO provider_announcements (
                    team_id, mark, provider, sub, app_id, form_given_name, given_name, family_name, announced_at,
                    held_until
                )
                SELECT 'ACMETEAM01', convert_to('mark' || n, 'UTF8'), 'apple', 'ada', 'com.acme.app',
                    CASE WHEN n <> 2 THEN 'Ada' END, 'Ada', '', now(),
                    now() - CASE n WHEN 1 THEN interval '366 days' ELSE interval '2 days' END
                FROM generate_series(1, 3000) AS n
                """)
            for table in ["provider_trips", "provider_announcements"] {
                try teams.admin("ANALYZE \(table)")
                let connection = try AdminConnection(to: teams.conninfo)
                try connection.execute("BEGIN")
                let purged = try connection.execute("SELECT pippin_purge_\(table)(5000)", [])
                let read = try connection.execute(
                    """
                    SELECT (seq_tup_read + idx_tup_fetch)::text FROM pg_stat_xact_user_tables WHERE relname = $1
                    """, [table])
                try connection.execute("COMMIT")
                #expect(purged == [["2"]], "\(table)")
                #expect(Int(try #require(read[0][0])) ?? .max < 50, "\(table): \(read)")
            }
        }
    }
}
