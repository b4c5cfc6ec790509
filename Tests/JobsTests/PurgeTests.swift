import Domain
import Jobs
import Postgres
import Testing

@Suite struct `What has ended` {
    @Test func `is removed when it was kept long enough, in every team`() async throws {
        try await withWorld { world in
            for team in ["ACMETEAM01", "RIVALTEAM1"] {
                try world.admin(
                    """
                    INSERT INTO jobs (
                        team_id, job_id, kind, priority, payload, due_at, state, finished_at, keep_until
                    )
                    SELECT $1, repeat(letter, 26), 'test.greeting', 1, '{}', now(), 'succeeded', now(),
                        now() + keep::interval
                    FROM (VALUES ('a', '-1 second'), ('b', '1 hour')) AS jobs (letter, keep)
                    """,
                    team
                )
                try world.admin("INSERT INTO users (team_id, sub) VALUES ($1, 'ada')", team)
                try world.admin(
                    """
                    INSERT INTO sessions (
                        team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent
                    )
                    SELECT $1, convert_to(life, 'UTF8'), 'ada', now(), now(), now() + life::interval, '', ''
                    FROM (VALUES ('-1 second'), ('1 hour')) AS sessions (life)
                    """,
                    team
                )
                try world.admin(
                    """
                    INSERT INTO limits (team_id, subject, window_ends_at, count)
                    SELECT $1, life, now() + life::interval, 1
                    FROM (VALUES ('-1 second'), ('1 hour')) AS limits (life)
                    """,
                    team
                )
            }
            let purge = PurgeStore(world.systemDatabase)

            #expect(try await purge.purgeJobs() == 2)
            #expect(try await purge.purgeSessions() == 2)
            #expect(try await purge.purgeLimits() == 2)

            for table in ["jobs", "sessions", "limits"] {
                #expect(try world.admin("SELECT count(*)::text FROM \(table)") == [["2"]], "\(table)")
            }
        }
    }
}
