import Core
import Crypto
import Directory
import Platform
import Postgres
import Testing

@testable import OAuth
@testable import TestTeams

/// Security cases V22 and V25, point P12 of the conformance list.
@Suite struct RevocationTests {
    @Test func `P12: a refresh token or an access token ends the whole authorization`() async throws {
        try await withEngine { engine in
            for isRefresh in [true, false] {
                let first = try await engine.tokens()
                let second = try await engine.tokens()
                try await engine.revoke(isRefresh ? first.refreshToken : first.accessToken)
                #expect(try await !engine.isAlive(first.refreshToken))
                #expect(try await !engine.isAlive(second.refreshToken))
            }
        }
    }

    @Test func `P12: the next sign-in is a first one again, with the same sub and user once more`() async throws {
        try await withEngine { engine in
            let first = try await engine.signIn(to: .web, Engine.fullRequest)
            #expect(first["user"] != nil)
            let tokens = try await engine.redeem(try #require(first["code"]))
            let later = try await engine.signIn(to: .web, Engine.fullRequest)
            #expect(later["user"] == nil)

            try await engine.revoke(tokens.refreshToken)
            let consent = try await engine.teams.consents().find(of: engine.ada, for: .app, in: .acme)
            #expect(consent == nil)
            let again = try await engine.signIn(to: .web, Engine.fullRequest)
            #expect(again["user"] != nil)
            let answer = try await engine.redeem(try #require(again["code"]))
            #expect(try await engine.claims(answer.idToken).string("sub") == engine.ada.rawValue)
        }
    }

    @Test func `it ends with all apps of the group, and with no other group or person`() async throws {
        try await withEngine { engine in
            let web = try await engine.tokens()
            let sister = try await engine.tokens(at: .sisterWeb)
            let other = try await engine.tokens(at: .otherWeb)
            let ben = try await engine.tokens(for: engine.ben)
            try await engine.revoke(web.refreshToken)
            #expect(try await !engine.isAlive(sister.refreshToken, .sisterWeb))
            #expect(try await engine.isAlive(other.refreshToken, .otherWeb))
            #expect(try await engine.isAlive(ben.refreshToken))
        }
    }

    @Test func `a code that waits for its redemption dies with the authorization`() async throws {
        try await withTokens { engine, tokens in
            let code = try await engine.code()
            let other = try await engine.code(to: .otherWeb)
            try await engine.revoke(tokens.refreshToken)
            #expect(try await engine.refusal(redeeming: code)?.code == .invalidGrant)
            #expect(try await engine.refusal(redeeming: other, .otherWeb) == nil)
        }
    }

    @Test func `a used code is still known as used after the authorization has ended`() async throws {
        try await withEngine { engine in
            let code = try await engine.code()
            let tokens = try await engine.redeem(code)
            try await engine.revoke(tokens.refreshToken)
            let error = try await engine.refusal(redeeming: code)
            #expect(error?.description == "The code has already been used.")
        }
    }

    @Test func `P12: garbage, dead tokens, codes and id_tokens succeed without effect`() async throws {
        try await withTokens { engine, tokens in
            let code = try await engine.code()
            for text in ["garbage", "\u{1F34F}", tokens.idToken, code, String(repeating: "r", count: 2000)] {
                try await engine.revoke(text)
            }
            #expect(try await engine.isAlive(tokens.refreshToken))
            #expect(try await engine.refusal(redeeming: code) == nil)
            try await engine.revoke(tokens.refreshToken)
            try await engine.revoke(tokens.refreshToken)
            try await engine.revoke(tokens.accessToken)
            let ends = try engine.actions().filter { $0 == "consent.ended" }
            #expect(ends.count == 1)
        }
    }

    @Test func `an access token that has expired is invalid already, and ends nothing`() async throws {
        try await withTokens { engine, tokens in
            engine.clock.advance(by: .seconds(3600))
            try await engine.revoke(tokens.accessToken)
            #expect(try await engine.isAlive(tokens.refreshToken))
            try await engine.revoke(try await engine.refresh(tokens.refreshToken).accessToken)
            #expect(try await !engine.isAlive(tokens.refreshToken))
        }
    }

    @Test func `a wrong hint is only a hint`() async throws {
        try await withEngine { engine in
            for hint in ["access_token", "refresh_token", "nonsense", ""] {
                let tokens = try await engine.tokens()
                try await engine.revoke(tokens.refreshToken, .web, ["token_type_hint": hint])
                #expect(try await !engine.isAlive(tokens.refreshToken), "\(hint)")
            }
        }
    }

    @Test func `V25: another client's token succeeds without effect, and so does another team's`() async throws {
        try await withEngine { engine in
            let acme = try await engine.tokens()
            let rival = try await engine.tokens(for: engine.rivalAda, at: .web, in: .rival)
            for token in [acme.refreshToken, acme.accessToken] {
                try await engine.revoke(token, .otherWeb)
                try await engine.revoke(token, .sisterWeb)
                try await engine.revoke(token, .web, in: .rival)
            }
            for token in [rival.refreshToken, rival.accessToken] { try await engine.revoke(token) }
            #expect(try await engine.isAlive(acme.refreshToken))
            #expect(try await engine.isAlive(rival.refreshToken, in: .rival))
        }
    }

    @Test func `the client proves itself first, and the token must be there`() async throws {
        try await withTokens { engine, tokens async throws in
            for (changes, code) in [
                (["client_secret": nil], .invalidClient), (["client_id": nil], .invalidClient),
                (["client_secret": "x.y.z"], .invalidClient), (["client_id": "com.acme.nobody"], .invalidClient),
                (["token": nil], .invalidRequest), (["token": ""], .invalidRequest),
            ] as [(Changes, OAuthError.Code)] {
                let error = await #expect(throws: OAuthError.self) {
                    try await engine.revoke(tokens.refreshToken, .web, changes)
                }
                #expect(error?.code == code, "\(changes)")
            }
            #expect(try await engine.isAlive(tokens.refreshToken))
        }
    }

    @Test func `V22: when the store does not answer nothing is said to be revoked`() async throws {
        try await withTokens { engine, tokens in
            let team = try await engine.snapshot()
            let parameters = try ProtocolParameters([
                "client_id": "com.acme.web", "client_secret": try engine.teams.secret(), "token": tokens.refreshToken,
            ])
            engine.teams.connections.close()
            await #expect(throws: PostgresFailure.self) {
                try await engine.respond(at: engine.revocation, to: parameters, of: team)
            }
        }
    }
}

/// What a trial may end: its own token, never the person's consent.
@Suite struct TestSignInRevocationTests {
    private static let key = KeyID.named("TRIALKEY01")

    @Test func `a test sign-in that revokes its token leaves consent and other tokens alone`() async throws {
        try await withEngine { engine in
            let own = try await engine.tokens()
            let privateKey = P256SigningKey.generate()
            let testSignIn = try await begin(engine, privateKey)
            let secret = try engine.teams.secret(key: Self.key) { _ in }
            #expect(try await engine.authenticate(secret) != nil, "signed with another key")
            let code = try await engine.code(["redirect_uri": testSignIn.returnURL])
            let proof: Changes = [
                "client_secret": try self.secret(engine, privateKey), "redirect_uri": testSignIn.returnURL,
            ]
            let tokens = try await engine.redeem(code, .web, proof)

            try await engine.revoke(tokens.accessToken, .web)
            #expect(try await engine.introspect(tokens.accessToken)["active"] == true, "not by the app")
            try await engine.revoke(own.refreshToken, .web, ["client_secret": proof["client_secret"] ?? nil])
            try await engine.revoke(tokens.accessToken, .web, ["client_secret": proof["client_secret"] ?? nil])

            #expect(try await engine.introspect(tokens.accessToken) == ["active": false])
            #expect(try await engine.isAlive(own.refreshToken))
            #expect(try await engine.credentialState(of: engine.ada.rawValue) == "authorized")
            #expect(try engine.actions().allSatisfy { $0 != "consent.ended" })
        }
    }

    private func secret(_ engine: Engine, _ key: P256SigningKey) throws -> String {
        try ClientSecret(
            of: .web, in: .acme, key: Self.key, audience: "https://appleid.apple.com", at: engine.clock.now
        ).signed(with: key)
    }

    private func begin(_ engine: Engine, _ key: P256SigningKey) async throws -> TestSignIn {
        let id = TestSignInID(random: engine.server.random)
        let testSignIn = TestSignIn(
            id: id, of: .web, sessionHash: [1], keyID: Self.key, publicKeyPEM: key.publicKey.pem,
            returnURL: "\(TestTeams.publicURL)/console/ACMETEAM01/test-sign-ins/\(id.rawValue)/callback",
            state: "state", nonce: "nonce", scope: AuthorizationRequest.Scope(name: true, email: true),
            responseMode: .formPost, at: engine.clock.now)
        let event = AuditEvent(
            "test_sign_in.started", by: .member(engine.ada), on: AuditEvent.Target("client", "com.acme.web"),
            from: .test)
        try await engine.testSignIns.insert(testSignIn, privateKeyPEM: key.pem, event: event, in: .acme)
        return testSignIn
    }
}
