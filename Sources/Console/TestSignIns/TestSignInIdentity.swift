import Core
import Crypto
import Platform

/// The `id_token` of a test sign-in, validated as an app must validate it.
struct TestSignInIdentity: Sendable {
    let step: TestSignInStep

    private static let title = Message("console.test-sign-ins.identity")

    /// Claims that the token must have, and the time for the check of `exp`.
    struct Expectation: Sendable {
        let issuer: String
        let audience: ClientID
        let nonce: String
        let moment: Timestamp
    }

    /// - Parameter keySet: the JWK set that the team publishes at `/auth/keys`.
    /// - Throws: `TestSignInFailure` with the step that explains the error.
    init(_ text: String, keySet: [UInt8], _ expected: Expectation) throws(TestSignInFailure) {
        let token: UnverifiedJWT
        do throws(JWTFailure) { token = try UnverifiedJWT(text) } catch {
            throw TestSignInFailure(
                TestSignInStep(
                    .bad, Self.title,
                    Message("console.test-sign-ins.identity.not-jwt", ["reason": "\(describing: error)"])))
        }
        let tables = DecodedToken.tables(token, notes: Self.notes)
        let raws = [TestSignInStep.Raw("id_token", text)]
        if let problem = Self.problem(with: token, keySet, expected) {
            throw TestSignInFailure(TestSignInStep(.bad, Self.title, problem, tables: tables, raws: raws))
        }
        step = TestSignInStep(
            .good, Self.title, Message("console.test-sign-ins.identity.about"), tables: tables, raws: raws)
    }

    /// Message with the first failed check of OpenID Connect Core section 3.1.3.7; nil if all pass.
    private static func problem(with token: UnverifiedJWT, _ keySet: [UInt8], _ expected: Expectation) -> Message? {
        guard let set = try? JWKSet(json: keySet), let kid = token.header.keyID,
            let key = set.key(id: kid, algorithm: token.header.algorithm)
        else { return Message("console.test-sign-ins.identity.no-key") }
        guard let claims = try? token.verify(with: key) else {
            return Message("console.test-sign-ins.identity.signature")
        }
        guard (try? claims.string("iss")) == expected.issuer else {
            return Message("console.test-sign-ins.identity.issuer", ["issuer": expected.issuer])
        }
        guard (try? claims.audience()) == [expected.audience.rawValue] else {
            return Message("console.test-sign-ins.identity.audience", ["audience": expected.audience.rawValue])
        }
        guard (try? claims.string("nonce")) == expected.nonce else {
            return Message("console.test-sign-ins.identity.wrong-nonce")
        }
        guard let expires = try? claims.date("exp"), expires.timestamp > expected.moment else {
            return Message("console.test-sign-ins.identity.expired")
        }
        return nil
    }

    private static let notes = [
        "kid": Message("console.test-sign-ins.identity.kid"), "iss": Message("console.test-sign-ins.identity.iss"),
        "aud": Message("console.test-sign-ins.identity.aud"), "sub": Message("console.test-sign-ins.identity.sub"),
        "nonce": Message("console.test-sign-ins.identity.nonce"),
        "email": Message("console.test-sign-ins.identity.email"),
        "is_private_email": Message("console.test-sign-ins.identity.is-private-email"),
        "at_hash": Message("console.test-sign-ins.identity.at-hash"),
    ]
}
