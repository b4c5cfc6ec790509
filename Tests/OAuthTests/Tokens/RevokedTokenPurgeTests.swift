import OAuth
import Platform
import Postgres
import TestTeams
import Testing

@Suite struct `Refresh tokens that were revoked` {
    private static let teams = ["ACMETEAM01", "RIVALTEAM1"]

    @Test func `go after thirty days, but for the last of a person and group`() async throws {
        try await withRetention { teams, retention in
            for team in Self.teams {
                try teams.issue(["-20 days", "-31 days", "-40 days", "live"], to: "ada", in: team)
                try teams.issue(["-31 days", "-40 days", "-50 days"], to: "ben", in: team)
                try teams.issue(["-45 days"], to: "ben", for: "com.acme.other", in: team)
                try teams.issue(["-29 days", "-60 days"], to: "cleo", in: team)
            }

            try await retention.apply("refresh_tokens")

            for team in Self.teams {
                #expect(try teams.tokens(of: "ada", in: team) == ["live", "-20 days"], "the rest is not needed")
                #expect(try teams.tokens(of: "ben", in: team) == ["-31 days", "com.acme.other -45 days"])
                #expect(try teams.tokens(of: "cleo", in: team) == ["-29 days"])
            }
            #expect(try await retention.apply("refresh_tokens") == 0, "each is looked at once")
        }
    }

    @Test func `leave no more than one behind, however often somebody comes and goes`() async throws {
        try await withRetention { teams, retention in
            for age in ["-90 days", "-70 days", "-50 days", "-40 days"] {
                try teams.issue([age], to: "ada", in: "ACMETEAM01")
                try await retention.apply("refresh_tokens")
                #expect(try teams.tokens(of: "ada", in: "ACMETEAM01") == [age])
            }
            // One that is found late, behind the one that stays.
            try teams.issue(["-60 days"], to: "ada", in: "ACMETEAM01")
            try await retention.apply("refresh_tokens")
            #expect(try teams.tokens(of: "ada", in: "ACMETEAM01") == ["-40 days"])
        }
    }

    @Test func `that ended in one moment leave one`() async throws {
        try await withRetention { teams, retention in
            try teams.issue(["-40 days"], to: "ada", count: 7, in: "ACMETEAM01")
            try await retention.apply("refresh_tokens")
            try teams.issue(["-40 days"], to: "ada", count: 7, in: "ACMETEAM01")
            try await retention.apply("refresh_tokens")

            #expect(try teams.tokens(of: "ada", in: "ACMETEAM01") == ["-40 days"])
        }
    }

    @Test func `go a batch at a time`() async throws {
        try await withRetention(batch: 10) { teams, retention in
            try teams.issue(["-40 days"], to: "ada", count: 53, in: "ACMETEAM01")

            #expect(try await retention.apply("refresh_tokens") == 53)

            #expect(try teams.tokens(of: "ada", in: "ACMETEAM01") == ["-40 days"])
        }
    }
}

extension TestTeams {
    /// Keeps tokens of those ages: `live`, or when they were revoked.
    func issue(
        _ ages: [String], to person: String, for app: String = "com.acme.app", testSignIn: String? = nil,
        count: Int = 1, in team: String
    ) throws {
        for age in ages {
            try admin(
                """
                INSERT INTO refresh_tokens (
                    team_id, token_id, sub, app_id, client_id, test_sign_in_id, authenticated_at, created_at, last_used_at
                )
                SELECT $1, decode(md5(random()::text), 'hex'), $2, $3, $3, $4, now(), now(), now()
                FROM generate_series(1, $5::integer)
                """, team, person, app, testSignIn, "\(count)")
            guard age != "live" else { continue }
            try admin(
                """
                UPDATE refresh_tokens SET revoked_at = date_trunc('day', now()) + $4::interval
                WHERE team_id = $1 AND sub = $2 AND app_id = $3 AND revoked_at IS NULL
                """, team, person, app, age)
        }
    }

    /// The ages of somebody's tokens, live ones first, each with its app where that is another one.
    fileprivate func tokens(of person: String, in team: String) throws -> [String] {
        try admin(
            """
            SELECT CASE app_id WHEN 'com.acme.app' THEN '' ELSE app_id || ' ' END
                || coalesce(extract(day FROM revoked_at - date_trunc('day', now())) || ' days', 'live')
            FROM refresh_tokens WHERE team_id = $1 AND sub = $2 ORDER BY app_id, revoked_at DESC
            """, team, person
        ).compactMap { $0[0] }
    }
}
