import Core
import Crypto
import Platform
import Registry
import Testing

@testable import OAuth
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
        try await withTokens { engine, tokens in
            engine.clock.advance(by: .seconds(10 * 365 * 86_400))
            #expect(try await engine.isAlive(tokens.refreshToken))
            let rows = try engine.admin("SELECT extract(epoch FROM last_used_at)::bigint FROM refresh_tokens")
            #expect(rows == [["\(engine.clock.now.seconds)"]])
        }
    }

    @Test func `V7: it works for its client alone`() async throws {
        try await withTokens { engine, tokens async throws in
            for client in [ClientID.sisterWeb, .otherWeb, .app, .legacy] {
                #expect(try await !engine.isAlive(tokens.refreshToken, client), "\(client)")
            }
            #expect(try await engine.isAlive(tokens.refreshToken))
        }
    }

    @Test func `the address is the one shared today, not the one of the sign-in`() async throws {
        try await withTokens { engine, tokens in
            try engine.admin(
                "UPDATE users SET email = 'ada@new.example', is_email_verified = false WHERE sub = $1",
                engine.ada.rawValue)
            let claims = try await engine.claims(try await engine.refresh(tokens.refreshToken).idToken)
            #expect(claims.members["email"] == "ada@new.example")
            #expect(claims.members["email_verified"] == false)
        }
    }

    @Test func `a suspended person's code is dead, and their token rests until they are back`() async throws {
        try await withTokens { engine, tokens in
            let code = try await engine.code()
            try engine.setSuspended(engine.ada)
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
            #expect(try await !engine.isAlive(tokens.refreshToken))
            try engine.setSuspended(engine.ada, false)
            #expect(try await engine.isAlive(tokens.refreshToken))
        }
    }

    @Test func `what is no refresh token is refused as a dead one`() async throws {
        try await withTokens { engine, tokens in
            let code = try await engine.code()
            for text in [tokens.accessToken, tokens.idToken, code, "r", "x", "r.0.mrs.", "\u{1F34F}"] {
                #expect(try await !engine.isAlive(text), "\(text)")
            }
        }
    }
}

@Suite struct AccessTokenTests {
    @Test func `S26: refreshes within one second give different access tokens, as clients' own do`() async throws {
        try await withEngine { engine in
            let first = try await engine.tokens()
            var seen: Set<String> = [first.accessToken]
            for _ in 0..<3 {
                let next = try await engine.refresh(first.refreshToken).accessToken
                #expect(seen.insert(next).inserted)
                #expect(try await engine.introspect(next)["active"] == true)
            }
            var own: Set<String> = []
            for _ in 0..<3 { #expect(own.insert(try await engine.clientToken().accessToken).inserted) }
        }
    }
}
