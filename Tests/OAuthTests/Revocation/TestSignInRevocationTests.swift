import Audit
import Bytes
import Crypto
import Domain
import Testing

@testable import OAuth
@testable import TestTeams

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
            #expect(try engine.teams.actions().allSatisfy { $0 != "consent.ended" })
        }
    }

    private func secret(_ engine: Engine, _ key: P256SigningKey) throws -> String {
        try ClientSecret(
            of: .web, in: .acme, key: Self.key, audience: "https://appleid.apple.com", at: engine.clock.now
        ).signed(with: key)
    }

    private func begin(_ engine: Engine, _ key: P256SigningKey) async throws -> TestSignIn {
        let id = TestSignInID(random: engine.teams.server.random)
        let testSignIn = TestSignIn(
            id: id, of: .web, sessionHash: [1], keyID: Self.key, publicKeyPEM: key.publicKey.pem,
            returnURL: "\(TestTeams.publicURL)/console/ACMETEAM01/trials/\(id.rawValue)/callback", state: "state",
            nonce: "nonce", scope: AuthorizationRequest.Scope(name: true, email: true), responseMode: .formPost,
            at: engine.clock.now)
        let event = AuditEvent(
            "test_sign_in.started", by: .member(engine.ada), on: AuditEvent.Target("client", "com.acme.web"),
            from: TestTeams.origin)
        try await engine.teams.testSignIns.insert(testSignIn, privateKeyPEM: key.pem, event: event, in: .acme)
        return testSignIn
    }
}
