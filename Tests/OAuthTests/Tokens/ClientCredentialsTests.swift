import Core
import Platform
import Testing

@testable import OAuth
@testable import TestTeams

/// grant_type=client_credentials, which Apple has for `user.migration` alone.
@Suite struct ClientCredentialsTests {
    @Test func `a client gets an access token for itself, and nothing else`() async throws {
        try await withEngine { engine in
            let now = Int64(engine.clock.now.seconds)
            let answer = try await engine.clientToken()
            guard case .object(let members) = answer.json else { throw TestFailure("no object") }
            #expect(members.keys.sorted() == ["access_token", "expires_in", "token_type"])
            #expect(members["token_type"] == "Bearer" && members["expires_in"] == 3600)
            let expected: JSONValue = [
                "active": true, "iss": "https://pippin.example/t/ACMETEAM01", "client_id": "com.acme.web",
                "scope": "user.migration", "token_type": "Bearer", "exp": .integer(now + 3600), "iat": .integer(now),
            ]
            #expect(try await engine.introspect(answer.accessToken) == expected)
        }
    }

    @Test func `any other scope is refused`() async throws {
        try await withEngine { engine in
            for scope in [nil, "", "name", "user.migration name", "USER.MIGRATION"] as [String?] {
                let error = await #expect(throws: OAuthError.self) { try await engine.clientToken(["scope": scope]) }
                #expect(error?.code == .invalidScope, "\(scope ?? "absent")")
            }
        }
    }

    @Test func `the token is nobody's refresh token, and revoking it does nothing`() async throws {
        try await withEngine { engine in
            let person = try await engine.tokens()
            let token = try await engine.clientToken().accessToken
            #expect(try await !engine.isAlive(token))
            try await engine.revoke(token)
            #expect(try await engine.isAlive(person.refreshToken))
        }
    }
}
