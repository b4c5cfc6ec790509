import AuthEngine
import Bytes
import Crypto
import Domain

/// What proves to Apple that a call is ours: a JWT that our imported key signs anew for each call (Apple, "Creating a
/// client secret").
enum AppleClientSecret {
    /// It only has to arrive; Apple would take half a year.
    private static let life = Duration.seconds(300)

    /// The header is `kid` and `alg` alone: Apple refuses others.
    ///
    /// - Throws: `SigningFailure` when OpenSSL refuses.
    static func make(
        for client: ClientID,
        of registration: AppleRegistration,
        to service: AppleService,
        at moment: Timestamp
    ) throws(SigningFailure) -> String {
        var claims = JSONWriter(capacity: 256)
        claims.member("iss", registration.teamID.rawValue)
        claims.member("iat", moment.seconds)
        claims.member("exp", (moment + life).seconds)
        claims.member("aud", service.issuer)
        claims.member("sub", client.rawValue)
        return try JWTSigner(key: registration.key, keyID: registration.keyID.rawValue).sign(claims.finish())
    }
}
