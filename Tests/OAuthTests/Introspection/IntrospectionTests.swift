import Core
import Directory
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

/// RFC 7662, and the part of security case V25 that touches it.
@Suite struct IntrospectionTests {
    private static let inactive: JSONValue = ["active": false]

    @Test func `an access token is active for an hour, and tells whose it is`() async throws {
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            let token = try await engine.tokens().accessToken
            let expected: JSONValue = [
                "active": true, "iss": "https://pippin.example/t/ACMETEAM01", "sub": .string(engine.ada.rawValue),
                "client_id": "com.acme.web", "aud": "com.acme.web", "token_type": "Bearer", "exp": .integer(now + 3600),
                "iat": .integer(now), "auth_time": .integer(now),
            ]
            #expect(try await engine.introspect(token) == expected)
            engine.clock.advance(by: .seconds(3599))
            #expect(try await engine.introspect(token)["active"] == true)
            engine.clock.advance(by: .seconds(1))
            #expect(try await engine.introspect(token) == Self.inactive)
        }
    }

    @Test func `a refresh token is active without an end, until it is revoked`() async throws {
        try await withTokens { engine, tokens in
            engine.clock.advance(by: .seconds(365 * 86_400))
            let answer = try await engine.introspect(tokens.refreshToken)
            #expect(answer["active"] == true && answer["exp"] == nil && answer["token_type"] == nil)
            try await engine.revoke(tokens.refreshToken)
            #expect(try await engine.introspect(tokens.refreshToken) == Self.inactive)
        }
    }

    @Test func `a client of the same App ID group may ask, and is shown whose token it is`() async throws {
        try await withTokens { engine, tokens in
            let answer = try await engine.introspect(tokens.accessToken, by: .sisterWeb)
            #expect(answer["active"] == true && answer["client_id"] == "com.acme.web")
        }
    }

    @Test func `S27: to a client of another App ID group every token is inactive`() async throws {
        try await withTokens { engine, tokens in
            let own = try await engine.clientToken()
            for token in [tokens.accessToken, tokens.refreshToken, own.accessToken] {
                #expect(try await engine.introspect(token)["active"] == true)
                #expect(try await engine.introspect(token, by: .otherWeb) == Self.inactive)
            }
            let other = try await engine.tokens(at: .otherWeb)
            for token in [other.accessToken, other.refreshToken] {
                #expect(try await engine.introspect(token, by: .otherWeb)["active"] == true)
                #expect(try await engine.introspect(token) == Self.inactive)
            }
        }
    }

    @Test func `what is no token, and what stands for nobody any more, is inactive`() async throws {
        try await withTokens { engine, tokens in
            let code = try await engine.code()
            for text in ["garbage", "\u{1F34F}", "a", "r", tokens.idToken, code] {
                #expect(try await engine.introspect(text) == Self.inactive, "\(text)")
            }
            try engine.setSuspended(engine.ada)
            for text in [tokens.accessToken, tokens.refreshToken] {
                #expect(try await engine.introspect(text) == Self.inactive)
            }
        }
    }

    @Test func `a client that is switched off has no active token`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens(at: .sisterWeb).accessToken
            #expect(try await engine.introspect(token)["active"] == true)
            try engine.admin("UPDATE app_ids SET is_enabled = false WHERE identifier = 'com.acme.sister'")
            #expect(try await engine.introspect(token) == Self.inactive)
        }
    }

    @Test func `the client proves itself first, and a token must be there`() async throws {
        try await withTokens { engine, tokens in
            let introspection = Introspection(server: engine.server, database: engine.database)
            for (changes, code) in [
                (["client_secret": nil], .invalidClient), (["client_secret": "x.y.z"], .invalidClient),
                (["token": nil], .invalidRequest),
            ] as [(Changes, OAuthError.Code)] {
                let parameters = try engine.parameters(of: .web, ["token": tokens.accessToken].merging(changes) { $1 })
                let error = await #expect(throws: OAuthError.self) {
                    try await engine.respond(at: introspection, to: parameters, of: try await engine.snapshot())
                }
                #expect(error?.code == code, "\(changes)")
            }
        }
    }
}

/// OpenID Connect Core section 5.3.
@Suite struct UserinfoTests {
    @Test func `it tells what the consent shares today, the name as it was edited included`() async throws {
        try await withTokens { engine, tokens in
            let expected: JSONValue = [
                "sub": .string(engine.ada.rawValue), "name": "Ada King", "given_name": "Ada", "family_name": "King",
                "email": "ada@acme.example", "email_verified": true,
            ]
            #expect(try await engine.userinfo(tokens.accessToken) == expected)
            try engine.admin("UPDATE users SET email = 'ada@new.example' WHERE sub = $1", engine.ada.rawValue)
            #expect(try await engine.userinfo(tokens.accessToken)?["email"] == "ada@new.example")
        }
    }

    @Test func `what was not shared is not told, and a hidden address is the relay's`() async throws {
        try await withEngine { engine in
            let bare = try await engine.tokens(for: engine.ben, at: .web, [:])
            #expect(try await engine.userinfo(bare.accessToken) == ["sub": .string(engine.ben.rawValue)])
            let answer = try await engine.signIn(to: .legacy, Engine.fullRequest, email: .hidden)
            let tokens = try await engine.redeem(try #require(answer["code"]), .legacy)
            let info = try #require(try await engine.userinfo(tokens.accessToken))
            #expect(info["email"]?.string?.hasSuffix("@relay.example") == true)
            #expect(info["is_private_email"] == "true" && info["email_verified"] == "true")
        }
    }

    @Test func `only an access token that is alive opens it`() async throws {
        try await withTokens { engine, tokens in
            let own = try await engine.clientToken().accessToken
            for text in [tokens.refreshToken, tokens.idToken, own, "garbage", ""] {
                #expect(try await engine.userinfo(text) == nil, "\(text)")
            }
            #expect(try await engine.userinfo(tokens.accessToken) != nil)
            try await engine.signOut(engine.ada.rawValue)
            #expect(try await engine.userinfo(tokens.accessToken) == nil)

            let again = try await engine.tokens().accessToken
            engine.clock.advance(by: .seconds(3600))
            #expect(try await engine.userinfo(again) == nil)
        }
    }
}

/// The four words of Apple's devices, asked from a backend.
@Suite struct CredentialStateTests {
    @Test func `consent makes it authorized for the whole group, and its end revoked`() async throws {
        try await withEngine { engine in
            let sub = engine.ada.rawValue
            #expect(try await engine.credentialState(of: sub) == "notFound")
            let tokens = try await engine.tokens()
            #expect(try await engine.credentialState(of: sub) == "authorized")
            #expect(try await engine.credentialState(of: sub, at: .sisterWeb) == "authorized")
            #expect(try await engine.credentialState(of: sub, at: .otherWeb) == "notFound")
            try await engine.revoke(tokens.refreshToken)
            #expect(try await engine.credentialState(of: sub) == "revoked")
            _ = try await engine.tokens()
            #expect(try await engine.credentialState(of: sub) == "authorized")
        }
    }

    @Test func `signing out leaves it authorized, suspension does not`() async throws {
        try await withEngine { engine in
            let sub = engine.ada.rawValue
            _ = try await engine.tokens()
            try await engine.signOut(sub)
            #expect(try await engine.credentialState(of: sub) == "authorized")
            try engine.setSuspended(engine.ada)
            #expect(try await engine.credentialState(of: sub) == "revoked")
        }
    }

    @Test func `nobody, garbage and another team's people are not found`() async throws {
        try await withTokens { engine, _ async throws in
            for sub in ["000000.00.0000", "nobody", "\u{1F34F}", String(repeating: "0", count: 300)] {
                #expect(try await engine.credentialState(of: sub) == "notFound", "\(sub)")
            }
            #expect(try await engine.credentialState(of: engine.ada.rawValue, in: .rival) == "notFound")
        }
    }

    @Test func `somebody who left stays revoked when their tokens are removed`() async throws {
        try await withEngine { engine in
            let sub = engine.ada.rawValue
            _ = try await engine.tokens()
            let tokens = try await engine.tokens()
            try await engine.revoke(tokens.refreshToken)
            for table in ["refresh_tokens", "revoked_tokens"] {
                try engine.admin("UPDATE \(table) SET revoked_at = revoked_at - interval '2 years'")
            }

            try engine.admin("SELECT pippin_purge_refresh_tokens(100)")

            #expect(try engine.admin("SELECT FROM refresh_tokens").count == 1)
            #expect(try await engine.credentialState(of: sub) == "revoked")
            #expect(try await engine.introspect(tokens.refreshToken) == ["active": false])
        }
    }
}
