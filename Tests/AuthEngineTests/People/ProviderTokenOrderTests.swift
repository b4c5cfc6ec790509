import Bytes
import Directory
import Domain
import Testing

@testable import AuthEngine
@testable import TestTeams

@Suite struct `Tokens that a provider gave` {
    private func token(_ octet: UInt8, of subject: Subject) -> ProviderToken {
        ProviderToken(
            id: [UInt8](repeating: octet, count: 16),
            provider: .apple,
            subject: subject,
            identifier: nil,
            group: .app,
            clientID: .app,
            text: nil
        )
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
                """,
                engine.ada.rawValue,
                engine.clock.now.precise
            )
            let store = ProviderValidationStore(engine.teams.database)
            let (ahead, real) = (token(1, of: engine.ada), token(2, of: engine.ada))

            let now = engine.clock.now + .seconds(60)
            #expect(try await store.standing(of: ahead, in: .acme, at: now) == .superseded)
            #expect(try await store.standing(of: real, in: .acme, at: now) == .mayAsk)
        }
    }
}
