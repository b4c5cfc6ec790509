import Bytes
import Domain
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
        try await withEngine { engine in
            let tokens = try await engine.tokens()
            engine.clock.advance(by: .seconds(365 * 86_400))
            let answer = try await engine.introspect(tokens.refreshToken)
            #expect(answer["active"] == true && answer["exp"] == nil && answer["token_type"] == nil)
            try await engine.revoke(tokens.refreshToken)
            #expect(try await engine.introspect(tokens.refreshToken) == Self.inactive)
        }
    }

    @Test func `a client of the same App ID group may ask, and is shown whose token it is`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().accessToken
            let answer = try await engine.introspect(token, by: .sisterWeb)
            #expect(answer["active"] == true && answer["client_id"] == "com.acme.web")
        }
    }

    @Test func `S27: to a client of another App ID group every token is inactive`() async throws {
        try await withEngine { engine in
            let tokens = try await engine.tokens()
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

    @Test func `V25: another team's tokens are inactive`() async throws {
        try await withEngine { engine in
            let acme = try await engine.tokens()
            let own = try await engine.clientToken()
            for token in [acme.accessToken, acme.refreshToken, own.accessToken] {
                #expect(try await engine.introspect(token)["active"] == true)
                #expect(try await engine.introspect(token, in: .rival) == Self.inactive)
            }
        }
    }

    @Test func `what is no token, and what stands for nobody any more, is inactive`() async throws {
        try await withEngine { engine in
            let tokens = try await engine.tokens()
            let code = try await engine.code()
            for text in ["garbage", "\u{1F34F}", "a", "r", tokens.idToken, code] {
                #expect(try await engine.introspect(text) == Self.inactive, "\(text)")
            }
            try engine.teams.admin("UPDATE users SET suspended_at = now() WHERE sub = $1", engine.ada.rawValue)
            for text in [tokens.accessToken, tokens.refreshToken] {
                #expect(try await engine.introspect(text) == Self.inactive)
            }
        }
    }

    @Test func `a client that is switched off has no active token`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens(at: .sisterWeb).accessToken
            #expect(try await engine.introspect(token)["active"] == true)
            try engine.teams.admin("UPDATE app_ids SET is_enabled = false WHERE identifier = 'com.acme.sister'")
            #expect(try await engine.introspect(token) == Self.inactive)
        }
    }

    @Test func `the client proves itself first, and a token must be there`() async throws {
        try await withEngine { engine in
            let token = try await engine.tokens().accessToken
            let introspection = Introspection(
                server: engine.teams.server, database: engine.teams.database, testSignIns: engine.teams.testSignIns)
            for (changes, code) in [
                (["client_secret": nil], .invalidClient), (["client_secret": "x.y.z"], .invalidClient),
                (["token": nil], .invalidRequest),
            ] as [(Changes, OAuthError.Code)] {
                let parameters = try engine.parameters(of: .web, ["token": token].merging(changes) { $1 })
                let error = await #expect(throws: OAuthError.self) {
                    try await introspection.respond(
                        to: parameters, of: try await engine.snapshot(), from: TestTeams.origin)
                }
                #expect(error?.code == code, "\(changes)")
            }
        }
    }
}
