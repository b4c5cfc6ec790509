import Directory
import Domain
import Jobs
import OAuth
import Postgres
import TestDatabase
import TestTeams
import Testing

@Suite struct `What has ended` {
    @Test func `is removed when it was kept long enough, in every team`() async throws {
        try await withPurging { teams, system in
            for team in ["ACMETEAM01", "RIVALTEAM1"] {
                try teams.admin(
                    """
                    INSERT INTO jobs (
                        team_id, job_id, kind, priority, payload, due_at, state, finished_at, keep_until
                    )
                    SELECT $1, repeat(letter, 26), 'test.greeting', 1, '{}', now(), 'succeeded', now(),
                        now() + keep::interval
                    FROM (VALUES ('a', '-1 second'), ('b', '1 hour')) AS jobs (letter, keep)
                    """, team)
                try teams.admin("INSERT INTO users (team_id, sub) VALUES ($1, 'ada')", team)
                try teams.admin(
                    """
                    INSERT INTO sessions (
                        team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent
                    )
                    SELECT $1, convert_to(life, 'UTF8'), 'ada', now(), now(), now() + life::interval, '', ''
                    FROM (VALUES ('-1 second'), ('1 hour')) AS sessions (life)
                    """, team)
                try teams.admin(
                    """
                    INSERT INTO limits (team_id, subject, window_ends_at, count)
                    SELECT $1, life, now() + life::interval, 1
                    FROM (VALUES ('-1 second'), ('1 hour')) AS limits (life)
                    """, team)
                try teams.arrive(1, leaving: "-1 second", in: team)
                try teams.arrive(1, leaving: "1 hour", in: team)
            }
            try teams.admin(
                """
                INSERT INTO trials (
                    team_id, trial_id, service_id, session_hash, key_id, private_key_sealed, public_key_pem, return_url,
                    nonce, state, wants_name, wants_email, response_mode, response_type, created_at, expires_at
                )
                SELECT team_id, age, identifier, '', age, '', '', '', '', '', false, false, '', '', now() - age::interval,
                    now()
                FROM (VALUES ('25 hours'), ('23 hours')) AS trials (age), (
                    SELECT DISTINCT ON (team_id) team_id, identifier FROM service_ids ORDER BY team_id
                ) AS service_ids
                """)

            let ended: [(table: String, purge: BatchedPurge)] = [
                ("jobs", .jobs), ("sessions", .sessions), ("limits", .limits),
                ("transferred_people", .transferredPeople), ("trials", .testSignIns),
            ]
            for (table, purge) in ended {
                #expect(try await purge.run(on: system) == 2, "\(table)")
                #expect(try teams.admin("SELECT count(*)::text FROM \(table)") == [["2"]], "\(table)")
            }
        }
    }

    @Test func `goes a batch at a time until nothing is left of it`() async throws {
        try await withPurging { teams, system in
            try teams.arrive(51, leaving: "-1 second", in: "ACMETEAM01")

            #expect(try await BatchedPurge.transferredPeople.run(on: system, batch: 10) == 51)

            #expect(try teams.admin("SELECT FROM transferred_people").isEmpty)
        }
    }

    @Test func `can be asked for of everything that has an end`() async throws {
        try await withPurging { _, system in
            let purges: [BatchedPurge] = [
                .jobs, .sessions, .limits, .mailedLinks, .nativeHandovers, .providerAnnouncements, .providerPartings,
                .upstreamRequests, .providerTokens, .upstreamNotifications, .notifications, .transferredPeople,
                .refreshTokens, .appTransfers, .deletionReceipts, .notBefores, .endedClients,
            ]
            for purge in purges {
                let removed = try await purge.run(on: system)
                #expect(removed == 0)
            }
        }
    }
}

/// Lends `body` the teams, and the database as the system sees it.
func withPurging(_ body: @escaping @Sendable (TestTeams, SystemDatabase) async throws -> Void) async throws {
    try await withTeams { teams in
        let system = Database(loop: teams.loop, configuration: .forTests(teams.conninfo, role: "pippin_system"))
        system.open()
        defer { system.close() }
        try await body(teams, SystemDatabase(system))
    }
}

extension TestTeams {
    /// Has so many people come with an app.
    fileprivate func arrive(_ count: Int, leaving life: String, in team: String) throws {
        try admin(
            """
            INSERT INTO transferred_people (
                team_id, transfer_sub, app_id, from_team, shares_name, shares_email, hides_email, given_name,
                family_name, is_email_verified, expires_at
            )
            SELECT $1, $2 || number, 'com.acme.app', 'OTHERTEAM1', false, false, false, '', '', false,
                now() + $2::interval
            FROM generate_series(1, $3::integer) AS number
            """, team, life, "\(count)")
    }
}

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
