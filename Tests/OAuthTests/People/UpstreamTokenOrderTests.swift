import Bytes
import Directory
import Domain
import Testing

@testable import Federation
@testable import TestTeams

@Suite struct `Tokens that a provider gave` {
    private func token(_ octet: UInt8, of subject: Subject) -> UpstreamToken {
        UpstreamToken(
            id: [UInt8](repeating: octet, count: 16), provider: .apple, subject: subject, identifier: nil,
            primaryAppID: .app, clientID: .app, text: nil)
    }

    @Test func `V43: are a hundred or so of a person and group, however often they sign in`() async throws {
        try await withEngine { engine in
            try engine.teams.admin(
                """
                INSERT INTO provider_tokens (
                    team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at, state
                )
                SELECT 'ACMETEAM01', decode(md5(app || state || n), 'hex'), 'apple', $1, app, app, '',
                    $2::timestamptz - n * interval '1 hour', now(), state
                FROM generate_series(1, 150) AS n, (VALUES ('live'), ('ending')) AS states (state),
                    (VALUES ('com.acme.app'), ('com.acme.other')) AS apps (app)
                """, engine.ada.rawValue, engine.clock.now.precise)
            let store = UpstreamTokenStore(server: engine.teams.server)
            func new(_ text: String) -> UpstreamTokenStore.New {
                UpstreamTokenStore.New(
                    text: text, provider: .apple, subject: engine.ada, identifier: nil, primaryAppID: .app,
                    clientID: .app, at: engine.clock.now)
            }
            let due = try #require((0..<10_000).map { new("token \($0)") }.first { UpstreamTokenStore.isDue($0.id) })

            try await engine.teams.database.query(store.insertion(of: due, in: .acme), in: .acme)

            let left = try engine.teams.admin(
                """
                SELECT app_id, state, count(*), min(created_at) = $1::timestamptz - interval '99 hours'
                FROM provider_tokens GROUP BY 1, 2 ORDER BY 1, 2
                """, engine.clock.now.precise)
            #expect(
                left == [
                    ["com.acme.app", "ending", "150", "f"], ["com.acme.app", "live", "100", "t"],
                    ["com.acme.other", "ending", "150", "f"], ["com.acme.other", "live", "150", "f"],
                ])
        }
    }

    @Test func `V53: are not the last word for being dated ahead of the time`() async throws {
        try await withEngine { engine in
            try engine.teams.admin(
                """
                INSERT INTO provider_tokens (
                    team_id, token_id, provider, sub, app_id, client_id, token_sealed, created_at, validate_at
                )
                SELECT 'ACMETEAM01', decode(repeat(octet, 16), 'hex'), 'apple', $1, 'com.acme.app', 'com.acme.app', '',
                    $2::timestamptz + ahead, now()
                FROM (VALUES ('01', interval '1 day'), ('02', interval '0')) AS given (octet, ahead)
                """, engine.ada.rawValue, engine.clock.now.precise)
            let store = UpstreamValidationStore(engine.teams.database)
            let (ahead, real) = (token(1, of: engine.ada), token(2, of: engine.ada))

            let now = engine.clock.now + .seconds(60)
            #expect(try await store.status(of: ahead, in: .acme, at: now) == .superseded)
            #expect(try await store.status(of: real, in: .acme, at: now) == .mayAsk)
        }
    }
}
