import Bytes
import Crypto
import Domain
import Localization
import OAuth

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
