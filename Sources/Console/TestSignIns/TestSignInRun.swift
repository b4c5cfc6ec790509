import Core
import Crypto
import Federation
import HTTP
import OAuth
import Platform
import Registry
import SignIn

/// Runs test sign-ins in the role of an app's server, from the authorization request to a verified `id_token`.
struct TestSignInRun: Sendable {
    let server: ServerContext
    let testSignIns: TestSignInStore
    let clients: ClientAuthenticator
    let tokens: TokenEndpoint
    let authorization: Authorization
    let verifiers: CodeVerifiers

    init(server: ServerContext, database: TeamDatabase, testSignIns: TestSignInStore, traces: any TraceSink) {
        self.server = server
        self.testSignIns = testSignIns
        clients = ClientAuthenticator(server: server, database: database)
        tokens = TokenEndpoint(
            server: server, database: database, ends: AuthorizationEndStore(database), traces: traces)
        authorization = Authorization(testSignIns: testSignIns)
        verifiers = CodeVerifiers(keyRing: server.keyRing)
    }

    /// Scopes and response mode from the form.
    struct Choice: Sendable {
        let scope: AuthorizationRequest.Scope
        let responseMode: AuthorizationRequest.ResponseMode
    }

    /// The member who runs the test sign-in, identified by the hash of the session token.
    struct Member: Sendable {
        let sessionHash: [UInt8]
        let actor: Actor
        let origin: Origin
    }

    /// Creates a test sign-in with its own key and stores both, so that the engine accepts them.
    func begin(as serviceID: ClientID, _ choice: Choice, by member: Member, in team: TeamID) async throws -> TestSignIn
    {
        let key = P256SigningKey.generate()
        let id = TestSignInID(random: server.random)
        let testSignIn = TestSignIn(
            id: id, of: serviceID, sessionHash: member.sessionHash, keyID: keyID(), publicKeyPEM: key.publicKey.pem,
            returnURL: server.publicURL + TestSignInRoutes.callback.link(team, id), state: testSignIns.state(of: id),
            nonce: Base64URL.encode(server.random.bytes(16)), scope: choice.scope, responseMode: choice.responseMode,
            at: server.clock())
        let event = AuditEvent.testSignInStarted(testSignIn, by: member.actor, from: member.origin)
        try await testSignIns.insert(testSignIn, privateKeyPEM: key.pem, event: event, in: team)
        return testSignIn
    }

    func request(of testSignIn: TestSignIn, in team: TeamID) -> TestSignInRequest {
        TestSignInRequest(
            testSignIn, challenge: verifiers.challenge(of: testSignIn.id),
            endpoint: server.publicURL + TeamRoutes.authorize.link(team))
    }

    /// Record with the refusal of the authorization request; nil if the request is valid.
    ///
    /// Checked before the redirect, because the endpoint's error page would not lead back to the console.
    func refusal(of testSignIn: TestSignIn, in team: TeamSnapshot) async throws -> TestSignInRecord? {
        let request = request(of: testSignIn, in: team.id)
        do {
            let parameters = try ProtocolParameters(request.fields)
            _ = try await authorization.judge(parameters, to: team, at: server.clock())
            return nil
        } catch let refusal as AuthorizationRefusal {
            let step = TestSignInStep(
                .bad, Message("console.test-sign-ins.refused"),
                Message("console.test-sign-ins.refused.about", ["reason": "\(refusal.reason)"]),
                tables: [
                    .init(
                        title: Message("console.test-sign-ins.answer"), rows: [.init("error", refusal.error.rawValue)])
                ])
            return TestSignInRecord(.failed, [request.step, step])
        }
    }

    /// Validates the authorization response, redeems the code and validates the `id_token`.
    func complete(
        _ testSignIn: TestSignIn, as service: ServiceID, _ fields: [FormCoding.Field],
        by mode: AuthorizationRequest.ResponseMode, in team: TeamSnapshot, from origin: Origin
    ) async throws -> TestSignInRecord {
        var steps = [request(of: testSignIn, in: team.id).step]
        do {
            let answer = try TestSignInAnswer(fields, by: mode, to: testSignIn)
            steps.append(answer.step)
            let secret = try await clientSecret(of: testSignIn, in: team.id)
            steps.append(secret.step)
            let redemption = try await TestSignInRedemption(
                tokenRequest(testSignIn, answer.code, secret.text), at: tokens, by: clients, of: team, from: origin)
            steps.append(redemption.step)
            steps.append(try identity(redemption.idToken, testSignIn, service, team).step)
            return TestSignInRecord(.completed, steps)
        } catch let failure as TestSignInFailure { return TestSignInRecord(failure.outcome, steps + [failure.step]) }
    }

    /// Stores the result with its audit event; of two results the first one is kept.
    func keep(_ record: TestSignInRecord, of testSignIn: TestSignIn, by member: Member, in team: TeamID) async throws {
        let event = AuditEvent.testSignInCompleted(testSignIn, record.outcome, by: member.actor, from: member.origin)
        _ = try await testSignIns.finish(testSignIn.id, steps: record.stored, event: event, in: team)
    }
}

// Parts of a run: key id, client secret, token request and `id_token`.
extension TestSignInRun {
    private func keyID() -> KeyID {
        while true {
            let text = server.random.text(TenCharacterID.length, from: .identifier)
            if let id = KeyID(rawValue: text) { return id }
        }
    }

    private func clientSecret(of testSignIn: TestSignIn, in team: TeamID) async throws -> TestSignInClientSecret {
        guard let pem = try await testSignIns.privateKeyPEM(of: testSignIn.id, in: team) else {
            throw TestSignInFailure(
                TestSignInStep(
                    .bad, Message("console.test-sign-ins.secret"), Message("console.test-sign-ins.secret.sealed")))
        }
        return try TestSignInClientSecret(
            for: testSignIn, signedWith: pem, team: team, audience: server.base(of: team), at: server.clock())
    }

    private func tokenRequest(_ testSignIn: TestSignIn, _ code: String, _ secret: String) -> [FormCoding.Field] {
        [
            FormCoding.Field("grant_type", "authorization_code"), FormCoding.Field("code", code),
            FormCoding.Field("redirect_uri", testSignIn.returnURL),
            FormCoding.Field("client_id", testSignIn.serviceID.rawValue), FormCoding.Field("client_secret", secret),
            FormCoding.Field("code_verifier", verifiers.verifier(of: testSignIn.id)),
        ]
    }

    private func identity(_ idToken: String, _ testSignIn: TestSignIn, _ service: ServiceID, _ team: TeamSnapshot)
        throws(TestSignInFailure) -> TestSignInIdentity
    {
        let moment = server.clock()
        let expected = TestSignInIdentity.Expectation(
            issuer: service.issuer == .apple ? "https://appleid.apple.com" : server.base(of: team.id),
            audience: testSignIn.serviceID, nonce: testSignIn.nonce, moment: moment)
        return try TestSignInIdentity(idToken, keySet: team.keySet(at: moment), expected)
    }
}

/// PKCE code verifiers of test sign-ins (RFC 7636 section 4.1), derived from their ids so that none is stored.
struct CodeVerifiers: Sendable {
    private let code: HMACSHA256

    init(keyRing: KeyRing) { code = HMACSHA256(key: keyRing.derive(purpose: "test sign-in code verifiers")) }

    func verifier(of testSignIn: TestSignInID) -> String {
        Base64URL.encode(code.code(for: Array(testSignIn.rawValue.utf8)))
    }

    /// S256 code challenge of the verifier (RFC 7636 section 4.2).
    func challenge(of testSignIn: TestSignInID) -> String { Base64URL.encode(SHA256.hash(verifier(of: testSignIn))) }
}

// Audit events of test sign-ins, which mark these sign-ins as run by the team itself.
extension AuditEvent {
    static func testSignInStarted(_ testSignIn: TestSignIn, by actor: Actor, from origin: Origin) -> AuditEvent {
        AuditEvent(
            "test_sign_in.started", by: actor, on: Target("service_id", testSignIn.serviceID.rawValue), from: origin,
            after: [
                "testSignIn": .string(testSignIn.id.rawValue), "scope": .string(testSignIn.scope.text),
                "response_mode": .string(testSignIn.responseMode.rawValue),
            ])
    }

    static func testSignInCompleted(
        _ testSignIn: TestSignIn, _ outcome: TestSignInRecord.Outcome, by actor: Actor, from origin: Origin
    ) -> AuditEvent {
        AuditEvent(
            "test_sign_in.completed", by: actor, on: Target("service_id", testSignIn.serviceID.rawValue), from: origin,
            after: ["testSignIn": .string(testSignIn.id.rawValue), "outcome": .string(outcome.rawValue)],
            outcome: outcome == .completed ? .succeeded : .refused)
    }
}

/// Client secret of a test sign-in: a JWT signed with its own key, as an app's server creates for each request.
struct TestSignInClientSecret: Sendable {
    private static let lifetime = Duration.seconds(300)

    let text: String
    let step: TestSignInStep

    /// - Throws: `KeyFailure` or `SigningFailure` when the key cannot sign.
    init(for testSignIn: TestSignIn, signedWith pem: String, team: TeamID, audience: String, at moment: Timestamp)
        throws
    {
        var claims = JSONWriter(capacity: 256)
        claims.member("iss", team.rawValue)
        claims.member("iat", moment.seconds)
        claims.member("exp", (moment + Self.lifetime).seconds)
        claims.member("aud", audience)
        claims.member("sub", testSignIn.serviceID.rawValue)
        let signer = JWTSigner(key: try P256SigningKey(pem: pem), keyID: testSignIn.keyID.rawValue)
        text = try signer.sign(claims.finish())
        step = TestSignInStep(
            .good, Message("console.test-sign-ins.secret"), Message("console.test-sign-ins.secret.about"),
            tables: DecodedToken.tables(try UnverifiedJWT(text), notes: Self.notes))
    }

    private static let notes = [
        "alg": Message("console.test-sign-ins.secret.alg"), "kid": Message("console.test-sign-ins.secret.kid"),
        "iss": Message("console.test-sign-ins.secret.iss"), "aud": Message("console.test-sign-ins.secret.aud"),
        "sub": Message("console.test-sign-ins.secret.sub"), "exp": Message("console.test-sign-ins.secret.exp"),
    ]
}
