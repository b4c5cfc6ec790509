import Platform
import Postgres
import TestDatabase
import TestTeams
import Testing

/// A row of a rule; the columns that are not named here have any value.
///
/// SQL gets the team as `$1`, four letters as `$2`, and the age of the row as `$3`.
private struct Sample: Sendable {
    let rule: String
    let table: String
    /// The age at which the row may go; nil for any.
    let limit: String?
    let values: [String: String]
    /// A statement before that of the row.
    let before: String?

    init(
        _ rule: String, in table: String? = nil, after limit: String?, _ values: [String: String], before: String? = nil
    ) {
        self.table = table ?? String(rule.prefix { $0 != "." })
        (self.rule, self.limit, self.values, self.before) = (rule, limit, values, before)
    }
}

@Suite struct `What has expired` {
    @Test func `goes by its rule at this age, in every team, and what has not expired stays`() async throws {
        try await withRetention { teams, retention in
            #expect(Set(try await retention.rules()) == Set(Self.samples.map(\.rule)), "each rule has its row here")

            for (sample, letter) in zip(Self.samples, "abcdefghijklmnopqrstuvwxyz234567") {
                if let limit = sample.limit {
                    try teams.add(sample, "aaa\(letter)", "\(limit) -60 seconds")
                    #expect(try await retention.apply(sample.rule) == 0, "\(sample.rule) is too young to go")
                }
                try teams.add(sample, "bbb\(letter)", "\(sample.limit ?? "") 60 seconds")
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
                INSERT INTO mailbox (team_id, mail_id, at, of_team, message, recipient, subject, body_text, body_html)
                SELECT 'PIPPIN0000', number, now() - interval '31 days', 'ACMETEAM01', '', '', '', '', ''
                FROM generate_series(1, 20) AS number
                """)

            try await retention.apply()

            #expect(try teams.count("limits") == 0)
            #expect(try teams.count("mailbox") == 0)
        }
    }

    @Test func `goes in turns, so that a rule with many rows keeps no other waiting`() async throws {
        try await withRetention(batch: 10) { teams, retention in
            // Which rule deletes, in order.
            try teams.admin("CREATE TABLE turns (number serial, rule text)")
            for table in ["daily_counts", "limits"] {
                try teams.admin(
                    """
                    CREATE FUNCTION note_\(table)() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                    BEGIN INSERT INTO turns (rule) VALUES (TG_TABLE_NAME); RETURN NULL; END $$
                    """)
                try teams.admin(
                    "CREATE TRIGGER note AFTER DELETE ON \(table) FOR EACH STATEMENT EXECUTE FUNCTION note_\(table)()")
            }
            try teams.admin(
                """
                INSERT INTO daily_counts (team_id, measure, day, subject, count)
                SELECT 'ACMETEAM01', 'sign_in', current_date - 399 - number, '', 1 FROM generate_series(1, 26) AS number
                """)
            try teams.admin(
                """
                INSERT INTO limits (team_id, subject, window_ends_at, count)
                SELECT 'ACMETEAM01', number::text, now(), 1 FROM generate_series(1, 15) AS number
                """)

            try await retention.apply()

            #expect(
                try teams.admin("SELECT rule FROM turns ORDER BY number").map { $0[0] } == [
                    "daily_counts", "limits", "daily_counts", "limits", "daily_counts",
                ])
            // A year of days and more is shown.
            #expect(try teams.admin("SELECT (current_date - day)::text FROM daily_counts") == [["400"]])
        }
    }

    @Test func `V43: cut-offs are of a client that is gone until one of the same name is there`() async throws {
        try await withTeams { teams in
            for client in ["*", "com.acme.web", "com.acme.strict"] {
                try teams.admin(
                    "INSERT INTO not_befores (team_id, client_id, not_before) VALUES ('ACMETEAM01', $1, now())", client)
                try teams.admin("INSERT INTO redeeming_clients (team_id, client_id) VALUES ('ACMETEAM01', $1)", client)
            }
            let gone = "SELECT client_id FROM not_befores WHERE client_deleted_at IS NOT NULL ORDER BY client_id"

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
    private static let age = "now() - $3::interval"
    private static let name = "repeat($2, 6) || 'aa'"

    fileprivate static let samples = [
        Sample("jobs", after: "0 days", ["keep_until": age, "finished_at": "now()", "state": "'succeeded'"]),
        Sample(
            "sessions", after: "0 days", ["expires_at": age],
            before: "INSERT INTO users (team_id, sub) SELECT $1, \(name) WHERE $3::text > ''"),
        Sample("limits", after: "0 days", ["window_ends_at": age]),
        Sample(
            "mailed_links", after: "0 days", ["expires_at": age, "purpose": "'registration'", "password_hash": "''"]),
        Sample("mailbox", after: "30 days", ["at": age, "team_id": "'PIPPIN0000'", "mail_id": "$1 || $2"]),
        Sample("native_handovers", after: "1 hour", ["created_at": age]),
        Sample("upstream_announcements.nameless", after: "1 hour", ["held_until": age]),
        Sample("upstream_announcements.named", after: "1 year", ["held_until": age, "form_given_name": "'Ada'"]),
        Sample("upstream_unlinks", after: "8 days", ["recorded_at": age]),
        request("over", after: "20 minutes", answeredAt: "NULL", settledAt: "NULL"),
        request("over", after: "20 minutes", answeredAt: "now()", settledAt: "now()"),
        request("waiting", after: "7 days", answeredAt: "now()", settledAt: "NULL"),
        Sample("upstream_tokens", after: "90 days", ["state": "'revoked'", "settled_at": age]),
        Sample(
            "upstream_tokens.refused", after: "90 days",
            ["state": "'refused'", "settled_at": "now()", "problem": "'abandoned'", "problem_at": age]),
        Sample("daily_counts", after: nil, ["day": "current_date - 401"]),
        Sample("upstream_notifications", after: "90 days", ["received_at": age]),
        Sample("notifications", after: "90 days", ["created_at": age, "type": "'account-delete'"]),
        Sample("transferred_people", after: "0 days", ["expires_at": age]),
        Sample(
            "test_sign_ins", after: "1 day",
            ["created_at": age, "service_id": "(SELECT min(identifier) FROM service_ids WHERE team_id = $1)"]),
        Sample("not_befores", after: "2 days", ["client_deleted_at": age]),
        Sample("deletion_receipts", after: "400 days", ["created_at": age]),
        transfer("unanswered", after: "28 days", "offered"), transfer("unanswered", after: "28 days", "withdrawn"),
        transfer("unanswered", after: "28 days", "declined"), transfer("past", after: "61 days", "accepted"),
        Sample(
            "refresh_tokens", in: "revoked_tokens", after: "30 days", ["revoked_at": age],
            before: token("client_id, test_sign_in_id, revoked_at", "'', 'trial', \(age)")),
        Sample("ended_clients", after: nil, [:], before: token("client_id, test_sign_in_id", "\(name), $3")),
    ]

    private static func request(_ rule: String, after limit: String, answeredAt: String, settledAt: String) -> Sample {
        Sample(
            "upstream_requests." + rule, after: limit,
            ["created_at": age, "interaction_id": "''", "answered_at": answeredAt, "settled_at": settledAt])
    }

    private static func transfer(_ rule: String, after limit: String, _ state: String) -> Sample {
        let target = "CASE $1 WHEN 'ACMETEAM01' THEN 'RIVALTEAM1' ELSE 'ACMETEAM01' END"
        return Sample(
            "app_transfers." + rule, after: limit,
            ["state": "'\(state)'", "target_team": target, "app_id": "$1 || $2", "offered_at": age, "settled_at": age])
    }

    private static func token(_ columns: String, _ values: String) -> String {
        """
        INSERT INTO refresh_tokens (
            team_id, token_id, sub, app_id, authenticated_at, created_at, last_used_at, \(columns)
        ) VALUES ($1, convert_to($2, 'UTF8'), 'ada', '', now(), now(), now(), \(values))
        """
    }
}

extension TestTeams {
    /// Adds the row in both teams.
    fileprivate func add(_ sample: Sample, _ letters: String, _ age: String) throws {
        let needed = try admin(
            """
            SELECT attname, CASE WHEN attname = 'provider' THEN '''apple''' ELSE CASE format_type(atttypid, NULL)
                WHEN 'text' THEN 'repeat($2, 6) || ''aa''' WHEN 'bytea' THEN 'convert_to($2, ''UTF8'')'
                WHEN 'timestamp with time zone' THEN 'now()' WHEN 'boolean' THEN 'false' WHEN 'jsonb' THEN '''{}'''
                ELSE '1' END END
            FROM pg_attribute
            WHERE attrelid = $1::regclass AND attnum > 0 AND attnotnull AND NOT atthasdef AND NOT attisdropped
            """, sample.table)
        var values = Dictionary(uniqueKeysWithValues: needed.map { ($0[0] ?? "", $0[1] ?? "") })
        values["team_id"] = "$1"
        values.merge(sample.values) { $1 }
        let columns = values.keys.sorted()
        let row = """
            INSERT INTO \(sample.table) (\(columns.joined(separator: ", ")))
            SELECT \(columns.compactMap { values[$0] }.joined(separator: ", "))
            WHERE $1::text || $2::text || $3::text > ''
            """
        for team in ["ACMETEAM01", "RIVALTEAM1"] {
            if let before = sample.before { try admin(before, team, letters, age) }
            try admin(row, team, letters, age)
        }
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
