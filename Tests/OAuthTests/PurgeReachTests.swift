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
}
