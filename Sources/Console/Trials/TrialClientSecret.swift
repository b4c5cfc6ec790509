import AuthEngine
import Bytes
import Crypto
import Domain

/// The client secret of a trial: a JWT signed with the trial's own key, as a server makes one for every request.
struct TrialClientSecret: Sendable {
    private static let lifetime = Duration.seconds(300)

    let text: String
    let step: TrialStep

    /// - Throws: `KeyFailure` or `SigningFailure` when the key does not sign.
    init(
        for trial: Trial,
        signedWith pem: String,
        team: TeamID,
        audience: String,
        at moment: Timestamp
    ) throws {
        var claims = JSONWriter(capacity: 256)
        claims.member("iss", team.rawValue)
        claims.member("iat", moment.seconds)
        claims.member("exp", (moment + Self.lifetime).seconds)
        claims.member("aud", audience)
        claims.member("sub", trial.serviceID.rawValue)
        let signer = JWTSigner(key: try P256SigningKey(pem: pem), keyID: trial.keyID.rawValue)
        text = try signer.sign(claims.finish())
        step = TrialStep(
            .good,
            "Your server signs a client secret",
            "A short-lived JWT proves who asks for the tokens. Your library makes it from the .p8 file; a trial signs "
                + "with a key of its own, which dies with it.",
            tables: DecodedToken.tables(try UnverifiedJWT(text), notes: Self.notes)
        )
    }

    private static let notes = [
        "alg": "Always ES256.",
        "kid": "The Key ID: yours stands on the key's page.",
        "iss": "The Team ID.",
        "aud": "This team at Pippin; https://appleid.apple.com is taken too.",
        "sub": "The Service ID, the same as client_id.",
        "exp": "At most six months ahead; a secret made for each request cannot run out unnoticed.",
    ]
}
