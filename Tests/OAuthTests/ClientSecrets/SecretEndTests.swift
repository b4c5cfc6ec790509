import Core
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

/// Secrets that an app keeps in its configuration: they end one day, and the team learns it before.
@Suite struct `The end of a client secret` {
    private func attention(_ engine: Engine, _ team: TeamID = .acme) async throws -> [TeamAttention] {
        try await TeamAttentionStore(engine.database).find(team, at: engine.clock.now).filter {
            [.secretEnds, .secretEnded].contains($0.kind)
        }
    }

    /// Redeems a code with a secret that lives so long.
    private func redeem(_ engine: Engine, life: Int64) async throws {
        let now = Int64(engine.clock.now.seconds)
        let secret = try engine.teams.secret { $0.claims["exp"] = .integer(now + life) }
        _ = try await engine.redeem(try await engine.code(), .web, ["client_secret": secret])
    }

    @Test func `is told a month before, and when it has come`() async throws {
        try await withEngine { engine in
            try await redeem(engine, life: 60 * 86_400)
            #expect(try await attention(engine).isEmpty)

            engine.clock.advance(by: .seconds(31 * 86_400))
            let near = try await attention(engine)
            #expect(near.map(\.kind) == [.secretEnds] && near.first?.subject == "com.acme.web")
            #expect(try await attention(engine, .rival).isEmpty)

            engine.clock.advance(by: .seconds(30 * 86_400))
            #expect(try await attention(engine).map(\.kind) == [.secretEnded])

            try await redeem(engine, life: 90 * 86_400)
            #expect(try await attention(engine).isEmpty)
        }
    }

    @Test func `is told before what stops no app, and so is what Apple refuses, once for each group`() async throws {
        try await withEngine { engine in
            try await redeem(engine, life: 60 * 86_400)
            engine.clock.advance(by: .seconds(61 * 86_400))
            try engine.admin(
                """
                INSERT INTO domains (team_id, domain) SELECT 'ACMETEAM01', 'd' || n || '.example' FROM generate_series(1, 20) n
                """)
            try engine.admin(
                """
                INSERT INTO upstream_tokens (
                    team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at, problem,
                    problem_at
                )
                SELECT team, decode(lpad(n::text, 32, '0'), 'hex'), 'apple', 'somebody', 'com.acme.' || n % 2, 'siwa', '',
                    now(), now(), 'client', '2026-01-01'::timestamptz + n * interval '1 hour'
                FROM generate_series(1, 6) n, unnest(ARRAY['ACMETEAM01', 'RIVALTEAM1']) team
                """)

            let found = try await TeamAttentionStore(engine.database).find(.acme, at: engine.clock.now)

            #expect(found.prefix(3).map(\.kind) == [.secretEnded, .appleRefuses, .appleRefuses])
            #expect(found.prefix(3).map(\.subject) == ["com.acme.web", "com.acme.0", "com.acme.1"])
            #expect(found[2].since?.description.hasPrefix("2026-01-01T01:00") == true)
            #expect(found.count == TeamAttentionStore.limit)
        }
    }

    @Test func `is nobody's business where the app makes one for each call`() async throws {
        try await withEngine { engine in
            try await redeem(engine, life: 3600)
            #expect(try await attention(engine).isEmpty)
        }
    }
}
