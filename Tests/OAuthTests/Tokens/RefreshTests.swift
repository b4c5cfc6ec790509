import Bytes
import Crypto
import Domain
import OAuth
import Registry
import Testing

@testable import TestTeams

/// Refreshing, point P7 of the conformance list.
@Suite struct RefreshTests {
    @Test func `P7: a refresh answers new tokens, an id_token among them, and no new refresh token`() async throws {
        try await withEngine { engine in
            let first = try await engine.tokens()
            engine.clock.advance(by: .seconds(7200))
            let second = try await engine.refresh(first.refreshToken)
            guard case .object(let members) = second.json else { throw TestFailure("no object") }
            #expect(members.keys.sorted() == ["access_token", "expires_in", "id_token", "token_type"])
            #expect(second.accessToken != first.accessToken)
            let claims = try await engine.claims(second.idToken)
            #expect(claims.members["nonce"] == nil)
            #expect(claims.members["email"] == "ada@acme.example")
            #expect(try claims.string("at_hash") == TokenHash.of(second.accessToken))
            #expect(try claims.integer("exp") == Int64(engine.clock.now.seconds) + 600)
        }
    }

    @Test func `a refresh token works for years, and its use is noted`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().refreshToken
            engine.clock.advance(by: .seconds(10 * 365 * 86_400))
            #expect(try await engine.isAlive(token))
            let rows = try engine.teams.admin("SELECT extract(epoch FROM last_used_at)::bigint FROM refresh_tokens")
            #expect(rows == [["\(engine.clock.now.seconds)"]])
        }
    }

    @Test func `V7: it works for its client alone`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().refreshToken
            for client in [ClientID.sisterWeb, .otherWeb, .app, .legacy] {
                #expect(try await !engine.isAlive(token, client), "\(client)")
            }
            #expect(try await engine.isAlive(token))
        }
    }

    @Test func `V25: Rival's tokens are worth nothing at Acme, nor Acme's at Rival`() async throws {
        try await withEngine { engine in
            let person = engine.teams.people.rivalAda
            let rival = try await engine.tokens(for: person, at: .web, in: .rival)
            let acme = try await engine.tokens()
            #expect(try await !engine.isAlive(rival.refreshToken, in: .acme))
            #expect(try await !engine.isAlive(acme.refreshToken, in: .rival))

            let code = try await engine.code(for: person, to: .web, in: .rival)
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
            #expect(try await engine.refusal(redeeming: code, in: .rival) == nil)
            #expect(try await engine.isAlive(rival.refreshToken, in: .rival))
        }
    }

    @Test func `the address is the one shared today, not the one of the sign-in`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().refreshToken
            try engine.teams.admin(
                "UPDATE users SET email = 'ada@new.example', is_email_verified = false WHERE sub = $1",
                engine.ada.rawValue)
            let claims = try await engine.claims(try await engine.refresh(token).idToken)
            #expect(claims.members["email"] == "ada@new.example")
            #expect(claims.members["email_verified"] == false)
        }
    }

    @Test func `a suspended person's token rests until they are back`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().refreshToken
            try engine.teams.admin("UPDATE users SET suspended_at = now() WHERE sub = $1", engine.ada.rawValue)
            #expect(try await !engine.isAlive(token))
            try engine.teams.admin("UPDATE users SET suspended_at = NULL WHERE sub = $1", engine.ada.rawValue)
            #expect(try await engine.isAlive(token))
        }
    }

    @Test func `a code of a person who was suspended meanwhile is dead`() async throws {
        try await withEngine { engine in
            let code = try await engine.code()
            try engine.teams.admin("UPDATE users SET suspended_at = now() WHERE sub = $1", engine.ada.rawValue)
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
        }
    }

    @Test func `what is no refresh token is refused as a dead one`() async throws {
        try await withEngine { engine in
            let tokens = try await engine.tokens()
            let code = try await engine.code()
            for text in [tokens.accessToken, tokens.idToken, code, "r", "x", "r.0.mrs.", "\u{1F34F}"] {
                #expect(try await !engine.isAlive(text), "\(text)")
            }
        }
    }
}
