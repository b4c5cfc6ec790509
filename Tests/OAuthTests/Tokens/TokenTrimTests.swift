import Core
import Platform
import TestSupport
import Testing

@testable import OAuth
@testable import TestTeams

@Suite struct `Refresh tokens of one person` {
    @Test func `V43: are two thousand at most, beside the last one of each group`() async throws {
        try await withTeams { teams in
            let store = RefreshTokenStore(database: teams.database)
            let (ada, ben) = (teams.people.ada, teams.people.ben)
            try teams.issue(1...2400, to: ada)
            try teams.issue(2401...2497, to: ada, revoked: true)
            try teams.issue(-2 ... -1, to: ada, for: .other, revoked: true)
            try teams.issue(0...0, to: ada, testSignIn: "trial")
            try teams.issue(1...2500, to: ben)
            try teams.issue(1...2500, to: ada, in: .rival)

            #expect(try await store.trim(of: ada, in: .acme) == 499)
            #expect(try await store.trim(of: ada, in: .acme) == 0)

            #expect(
                try teams.tokens(of: ada) == [
                    ["com.acme.app", "live", "2000", "401", "2400"], ["com.acme.other", "revoked", "1", "-1", "-1"],
                ], "what was revoked goes first, then what was not used for longest")
            #expect(try teams.tokens(of: ben).map { $0[2] } == ["2500"])
            #expect(try teams.tokens(of: ada, in: .rival).map { $0[2] } == ["2500"])
            let states = CredentialStateStore(database: teams.database)
            #expect(try await states.state(of: ada, for: .other, in: .acme, at: teams.clock.now).state == .revoked)
        }
    }

    @Test func `V43: are looked at by one redemption of many, and one that went is refused`() async throws {
        try await withEngine { engine in
            let first = try await engine.redeem(try await engine.code()).refreshToken
            try engine.admin("UPDATE refresh_tokens SET created_at = to_timestamp(1), last_used_at = to_timestamp(1)")
            try engine.teams.issue(1...2500, to: engine.ada)

            var last = ""
            var isDue = false
            for _ in 0..<1000 where !isDue {
                last = try await engine.redeem(try await engine.code()).refreshToken
                let token = try #require(RefreshToken(last))
                isDue = RefreshTokenStore.isDue(token.id)
            }

            let kept = try engine.teams.tokens(of: engine.ada).compactMap { $0[2] }.compactMap { Int($0) }
            #expect(isDue && kept.reduce(0, +) <= 2001)
            await #expect(throws: OAuthError.self) { _ = try await engine.refresh(first) }
            #expect(try await !engine.refresh(last).accessToken.isEmpty)
        }
    }

    @Test func `V43: are looked at after one new one in 64, and trouble with it is told`() async throws {
        try await withEngine { engine in
            let lines = Notes()
            let store = RefreshTokenStore(database: engine.database)
            try engine.admin("ALTER TABLE refresh_tokens RENAME TO refresh_tokens_gone")
            for octet in UInt8.min...UInt8.max {
                await store.trim(after: [octet, 1], of: engine.ada, in: .acme, from: .test, log: lines.log(.warning))
            }
            #expect(lines.all.count == 4)
            #expect(lines.all.allSatisfy { $0.contains("\"refresh_tokens.not_trimmed\"") })
        }
    }
}

extension TestTeams {
    /// Keeps tokens with those numbers, used at as many seconds.
    fileprivate func issue(
        _ numbers: ClosedRange<Int>, to person: Subject, for app: ClientID = .app, testSignIn: String? = nil,
        revoked: Bool = false, in team: TeamID = .acme
    ) throws {
        try admin(
            """
            INSERT INTO refresh_tokens (
                team_id, token_id, sub, app_id, client_id, test_sign_in_id, authenticated_at, created_at,
                last_used_at, revoked_at
            )
            SELECT $1, decode('ff' || substr(md5($2::text), 1, 22) || lpad(to_hex(n + 16), 8, '0'), 'hex'),
                $2::text, $3::text, $3::text, $4, moment, moment, moment,
                CASE WHEN $5::boolean THEN moment END
            FROM (
                SELECT n, to_timestamp(1500000000 + n) AS moment
                FROM generate_series($6::integer, $7::integer) AS n
            ) AS issued
            """, team.rawValue, person.rawValue, app.rawValue, testSignIn, "\(revoked)", "\(numbers.lowerBound)",
            "\(numbers.upperBound)")
    }

    /// Somebody's tokens: of which group, whether they live, how many, the least number and the greatest.
    fileprivate func tokens(of person: Subject, in team: TeamID = .acme) throws -> [[String?]] {
        try admin(
            """
            SELECT app_id, state, count(*)::text, min(number)::text, max(number)::text
            FROM (
                SELECT app_id, CASE WHEN revoked_at IS NULL THEN 'live' ELSE 'revoked' END AS state,
                    extract(epoch FROM last_used_at)::bigint - 1500000000 AS number
                FROM refresh_tokens WHERE team_id = $1 AND sub = $2
            ) AS kept
            GROUP BY app_id, state ORDER BY app_id, state
            """, team.rawValue, person.rawValue)
    }
}
