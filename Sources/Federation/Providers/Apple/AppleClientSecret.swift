import Core
import Crypto
import OAuth
import Platform

/// Client secret: a JWT signed anew for each call with the team's imported key (Apple, "Creating a client secret").
enum AppleClientSecret {
    /// Lifetime, enough for one call; Apple accepts half a year.
    private static let life = Duration.seconds(300)

    /// Creates a client secret whose header is `kid` and `alg` alone, because Apple rejects other members.
    ///
    /// - Throws: `SigningFailure` if OpenSSL fails.
    static func make(
        for client: ClientID, of registration: AppleRegistration, to service: AppleService, at moment: Timestamp
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
