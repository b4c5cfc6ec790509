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
            Phrase("console.trials.secret"),
            Phrase("console.trials.secret.about"),
            tables: DecodedToken.tables(try UnverifiedJWT(text), notes: Self.notes)
        )
    }

    private static let notes = [
        "alg": Phrase("console.trials.secret.alg"),
        "kid": Phrase("console.trials.secret.kid"),
        "iss": Phrase("console.trials.secret.iss"),
        "aud": Phrase("console.trials.secret.aud"),
        "sub": Phrase("console.trials.secret.sub"),
        "exp": Phrase("console.trials.secret.exp"),
    ]
}
