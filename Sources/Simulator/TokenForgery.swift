import AuthEngine
import Bytes
import Crypto

/// Makes a token wrong in one way, and signs it so that nothing else is.
struct TokenForgery: Sendable {
    let fault: Fault
    let script: Script
    /// Apple's, for whom the token was issued.
    let team: TeamSnapshot
    let moment: Timestamp

    /// The token with its fault; the same token for a fault that is none of a token.
    func forge(_ token: String) throws -> String {
        guard fault.isOfToken else { return token }
        var claims = try UnverifiedJWT(token).unverifiedClaims.members
        switch fault {
        case .otherIssuer: claims["iss"] = "https://account.apple.com"
        case .otherAudience: claims["aud"] = "com.example.somebody.else"
        case .otherNonce: claims["nonce"] = "of-another-sign-in"
        case .expired: shift(&claims, by: -7200)
        case .ahead: shift(&claims, by: 3600)
        default: break
        }
        return try sign(JSON.encode(JSONValue.object(claims)))
    }

    /// Only the key that everybody knows makes the other faults the only ones.
    private func sign(_ claims: [UInt8]) throws -> String {
        switch fault {
        case .unknownKey: try JWTSigner(key: script.extraKey, keyID: "NOSUCHKEY1").sign(claims)
        case .newKey: try JWTSigner(key: script.extraKey, keyID: Script.extraKeyID).sign(claims)
        default: try team.sign(claims, at: moment)
        }
    }

    private func shift(_ claims: inout [String: JSONValue], by seconds: Int64) {
        for name in ["iat", "exp", "auth_time"] {
            if let date = claims[name]?.integer.flatMap(NumericDate.init(seconds:)) {
                claims[name] = .integer(Int64(date.seconds) + seconds)
            }
        }
    }
}
