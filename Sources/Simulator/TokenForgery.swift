import Core
import Crypto
import OAuth

/// Makes a token wrong in exactly one way, and signs it again.
struct TokenForgery: Sendable {
    let fault: Fault
    let script: Script
    /// The simulator's team, which issued the token.
    let team: TeamSnapshot
    let moment: Timestamp

    /// The token with the fault; unchanged for a fault that does not concern tokens.
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

    /// Signs with the published key unless the fault is the key, so that the token has no second fault.
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
