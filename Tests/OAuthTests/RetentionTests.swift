import Domain
import Postgres
import TestDatabase
import TestTeams
import Testing

/// A row of a rule that has that age: the statement gets the team, a letter for the key, and the age.
private struct Sample: Sendable {
    let rule: String
    /// The age at which the row may go.
    let limit: String
    let insertion: String
}

@Suite struct `What has expired` {
    @Test func `goes by its rule at this age, in every team, and what has not expired stays`() async throws {
        try await withRetention { teams, retention in
            #expect(Set(try await retention.rules()) == Set(Self.samples.map(\.rule)), "each rule has its row here")

            for sample in Self.samples {
                for team in ["ACMETEAM01", "RIVALTEAM1"] {
                    try teams.admin(sample.insertion, team, "a", "\(sample.limit) -60 seconds")
                }
                #expect(try await retention.apply(sample.rule) == 0, "\(sample.rule) is too young to go")
                for team in ["ACMETEAM01", "RIVALTEAM1"] {
                    try teams.admin(sample.insertion, team, "b", "\(sample.limit) 60 seconds")
                }
                #expect(try await retention.apply(sample.rule) == 2, "\(sample.rule) goes")
                #expect(try await retention.apply(sample.rule) == 0, "\(sample.rule) is gone")
            }
        }
    }

    @Test func `goes by all rules, a batch at a time until nothing is left of it`() async throws {
        try await withRetention(batch: 10) { teams, retention in
            try teams.admin(
                """
                INSERT INTO limits (team_id, subject, window_ends_at, count)
                SELECT 'ACMETEAM01', number::text, now(), 1 FROM generate_series(1, 51) AS number
                """)
            try teams.admin(
                """
                INSERT INTO mailbox (team_id, mail_id, at, of_team, letter, recipient, subject, body_text, body_html)
                SELECT 'PIPPIN0000', number, now() - interval '31 days', 'ACMETEAM01', '', '', '', '', ''
                FROM generate_series(1, 20) AS number
                """)

            try await retention.apply()

            #expect(try teams.count("limits") == 0)
            #expect(try teams.count("mailbox") == 0)
        }
    }

    @Test func `V43: cut-offs are of a client that is gone until one of the same name is there`() async throws {
        try await withTeams { teams in
            for client in ["*", "com.acme.web", "com.acme.strict"] {
                try teams.admin(
                    "INSERT INTO token_cutoffs (team_id, client_id, not_before) VALUES ('ACMETEAM01', $1, now())",
                    client)
                try teams.admin("INSERT INTO redeeming_clients (team_id, client_id) VALUES ('ACMETEAM01', $1)", client)
            }
            let gone = "SELECT client_id FROM token_cutoffs WHERE client_gone_at IS NOT NULL ORDER BY client_id"

            try teams.admin("DELETE FROM client_identifiers WHERE identifier IN ('com.acme.web', 'com.acme.strict')")

            #expect(try teams.admin(gone) == [["com.acme.strict"], ["com.acme.web"]])
            // With the name goes that it ever redeemed a code.
            #expect(try teams.admin("SELECT client_id FROM redeeming_clients") == [["*"]])
            // A client of the same name finds what was cut off dead.
            try teams.admin(
                """
                INSERT INTO client_identifiers (team_id, identifier, kind)
                VALUES ('ACMETEAM01', 'com.acme.web', 'service')
                """)
            #expect(try teams.admin(gone) == [["com.acme.strict"]])
        }
    }
}

extension `What has expired` {
    fileprivate static let samples = [
        sample(
            "jobs", "0 days", "team_id, job_id, kind, priority, payload, due_at, state, finished_at, keep_until",
            "$1, repeat($2, 26), 'test', 1, '{}', now(), 'succeeded', now(), now() - $3::interval"),
        Sample(
            rule: "sessions", limit: "0 days",
            insertion: """
                WITH person AS (INSERT INTO users (team_id, sub) VALUES ($1, $2))
                INSERT INTO sessions (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent)
                VALUES ($1, convert_to($2, 'UTF8'), $2, now(), now(), now() - $3::interval, '', '')
                """),
        sample("limits", "0 days", "team_id, subject, window_ends_at, count", "$1, $2, now() - $3::interval, 1"),
        sample(
            "mailed_links", "0 days", "team_id, token_hash, purpose, email, password_hash, expires_at",
            "$1, convert_to($2, 'UTF8'), 'registration', '', '', now() - $3::interval"),
        sample(
            "mailbox", "30 days", "mail_id, of_team, letter, recipient, subject, body_text, body_html, at, team_id",
            "$1 || $2, $1, '', '', '', '', '', now() - $3::interval, 'PIPPIN0000'"),
        sample(
            "native_handovers", "1 hour", "team_id, body_hash, client_id, created_at",
            "$1, convert_to($2, 'UTF8'), 'com.acme.app', now() - $3::interval"),
        announcement("nameless", "1 hour", name: "NULL"), announcement("named", "1 year", name: "'Ada'"),
        sample(
            "provider_partings", "8 days", "team_id, provider, identifier_hash, app_id, noted_at",
            "$1, 'apple', convert_to($2, 'UTF8'), 'com.acme.app', now() - $3::interval"),
        request("over", "20 minutes", answeredAt: "NULL", settledAt: "NULL"),
        request("over", "20 minutes", answeredAt: "now()", settledAt: "now()"),
        request("waiting", "7 days", answeredAt: "now()", settledAt: "NULL"),
        sample(
            "provider_tokens", "90 days",
            """
            team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, state, validate_at,
            settled_at
            """, "$1, convert_to($2, 'UTF8'), 'apple', 'ada', '', '', '', now(), 'revoked', now(), now() - $3::interval"
        ),
        sample(
            "provider_notices", "90 days", "team_id, provider, notice_hash, app_id, events, received_at",
            "$1, 'apple', convert_to($2, 'UTF8'), 'com.acme.app', '[]', now() - $3::interval"),
        sample(
            "notices", "90 days", "team_id, notice_id, app_id, type, sub, event_time, created_at",
            "$1, repeat($2, 26), 'com.acme.app', 'account-delete', 'ada', now(), now() - $3::interval"),
        sample(
            "transferred_people", "0 days",
            """
            team_id, transfer_sub, app_id, from_team, shares_name, shares_email, hides_email, given_name, family_name,
            is_email_verified, expires_at
            """, "$1, $2, 'com.acme.app', '', false, false, false, '', '', false, now() - $3::interval"),
        Sample(
            rule: "trials", limit: "1 day",
            insertion: """
                INSERT INTO trials (
                    team_id, trial_id, service_id, session_hash, key_id, private_key_sealed, public_key_pem, return_url,
                    nonce, state, wants_name, wants_email, response_mode, response_type, created_at, expires_at
                )
                SELECT team_id, $2::text, min(identifier), '', $2::text, '', '', '', '', '', false, false, '', '',
                    now() - $3::interval, now()
                FROM service_ids WHERE team_id = $1 GROUP BY team_id
                """),
        sample(
            "token_cutoffs", "2 days", "team_id, client_id, not_before, client_gone_at",
            "$1, $2, now(), now() - $3::interval"),
        Sample(
            rule: "deletion_receipts", limit: "400 days",
            insertion: """
                WITH receipt AS (
                    INSERT INTO deletion_receipts (team_id, receipt_id, sub, created_at)
                    VALUES ($1, repeat($2, 26), 'ada', now() - $3::interval) RETURNING *
                )
                INSERT INTO deletion_receipt_tokens (team_id, receipt_id, number, client_id, issued_at, fate)
                SELECT team_id, receipt_id, 1, 'com.acme.web', now(), 'revoked' FROM receipt
                """), transfer("unanswered", "28 days", state: "offered"),
        transfer("unanswered", "28 days", state: "withdrawn"), transfer("unanswered", "28 days", state: "declined"),
        transfer("past", "61 days", state: "accepted"),
        Sample(
            rule: "refresh_tokens", limit: "30 days",
            insertion: """
                WITH token AS (
                    INSERT INTO refresh_tokens (
                        team_id, token_id, sub, app_id, client_id, trial_id, authenticated_at, created_at, last_used_at,
                        revoked_at
                    ) VALUES (
                        $1, convert_to($2, 'UTF8'), 'ada', 'com.acme.app', 'com.acme.web', 'trial', now(), now(), now(),
                        now() - $3::interval
                    ) RETURNING *
                )
                INSERT INTO revoked_tokens (revoked_at, team_id, token_id)
                SELECT revoked_at, team_id, token_id FROM token
                """),
        // Its tokens are counted, and go whatever their age.
        Sample(
            rule: "ended_clients", limit: "0 days",
            insertion: """
                WITH client AS (
                    INSERT INTO ended_clients (team_id, client_id) SELECT $1, 'com.gone.' || $2 WHERE $3::interval > '0'
                )
                INSERT INTO refresh_tokens (
                    team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at
                ) VALUES ($1, convert_to('ben' || $2, 'UTF8'), 'ben', 'com.gone', 'com.gone.' || $2, now(), now(), now())
                """),
    ]

    /// A row of the table after which the rule is named.
    private static func sample(_ rule: String, _ limit: String, _ columns: String, _ values: String) -> Sample {
        let table = rule.prefix { $0 != "." }
        return Sample(rule: rule, limit: limit, insertion: "INSERT INTO \(table) (\(columns)) VALUES (\(values))")
    }

    private static func announcement(_ rule: String, _ limit: String, name: String) -> Sample {
        sample(
            "provider_announcements." + rule, limit,
            """
            team_id, mark, provider, sub, app_id, form_given_name, given_name, family_name, announced_at, held_until
            """,
            "$1, convert_to($2 || '\(rule)', 'UTF8'), 'apple', 'ada', '', \(name), '', '', now(), now() - $3::interval")
    }

    private static func request(_ rule: String, _ limit: String, answeredAt: String, settledAt: String) -> Sample {
        sample(
            "provider_trips." + rule, limit,
            """
            team_id, state_hash, provider, attempt_id, browser_hash, app_id, wants_name, wants_email, created_at,
            answered_at, settled_at
            """,
            """
            $1, convert_to($2 || '\(answeredAt) \(settledAt)', 'UTF8'), 'apple', '', '', 'com.acme.app', true, true,
            now() - $3::interval, \(answeredAt), \(settledAt)
            """)
    }

    private static func transfer(_ rule: String, _ limit: String, state: String) -> Sample {
        sample(
            "app_transfers." + rule, limit,
            "team_id, transfer_id, target_team, app_id, registration, state, offered_at, settled_at",
            """
            $1, rpad('\(state.prefix(1))', 26, $2), CASE $1 WHEN 'ACMETEAM01' THEN 'RIVALTEAM1' ELSE 'ACMETEAM01' END,
            '\(state)' || $1 || $2, '{}', '\(state)', now() - $3::interval, now() - $3::interval
            """)
    }
}

/// Lends `body` the teams and their retention.
func withRetention(batch: Int = 500, _ body: @escaping @Sendable (TestTeams, Retention) async throws -> Void)
    async throws
{
    try await withTeams { teams in
        let system = Database(loop: teams.loop, configuration: .forTests(teams.conninfo, role: "pippin_system"))
        system.open()
        defer { system.close() }
        try await body(teams, Retention(SystemDatabase(system), batch: batch))
    }
}
