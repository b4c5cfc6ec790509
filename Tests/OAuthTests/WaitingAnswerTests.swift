import Bytes
import Domain
import Testing

@testable import Federation
@testable import TestTeams

/// What a provider posted for browsers that have not come back.
@Suite struct `Answers that wait` {
    @Test func `S18, V43: are ten thousand of a team at most, once nobody can come for them`() async throws {
        try await withTeams { teams in
            func plant(_ count: Int, _ name: String, of team: String, age: Duration) throws {
                try teams.admin(
                    """
                    INSERT INTO provider_trips (
                        team_id, state_hash, provider, attempt_id, browser_hash, app_id, wants_name, wants_email,
                        created_at, answered_at
                    )
                    SELECT $1, convert_to($2 || n, 'UTF8'), 'apple', '', '', 'com.acme.app', true, true, moment, moment
                    FROM generate_series(1, $3::integer) AS n,
                        LATERAL (SELECT $4::timestamptz + n * interval '1 microsecond' AS moment) AS planted
                    """, team, name, String(count), (teams.clock.now - age).description)
            }
            #expect(UpstreamRequestStore.mostWaiting == 10_000)
            let most = 100
            try plant(most + 12, "old", of: "ACMETEAM01", age: .seconds(3600))
            try plant(50, "young", of: "ACMETEAM01", age: .seconds(60))
            try plant(5, "other", of: "RIVALTEAM1", age: .seconds(3600))

            let upstreamRequests = UpstreamRequestStore(teams.database, server: teams.server, timeout: .seconds(10))
            try await upstreamRequests.trim(in: .acme, at: teams.clock.now, keeping: most, batch: 10)

            let kept = try teams.admin("SELECT team_id, count(*) FROM provider_trips GROUP BY 1 ORDER BY 1")
            #expect(kept.map { $0[1] } == [String(most + 50), "5"])
            let last = "SELECT FROM provider_trips WHERE state_hash = convert_to($1, 'UTF8')"
            #expect(try teams.admin(last, "old\(most)").count == 1)
            #expect(try teams.admin(last, "old\(most + 1)").isEmpty)
        }
    }
}
