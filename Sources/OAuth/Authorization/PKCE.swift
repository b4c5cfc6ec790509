import Core
import Crypto

/// Proof Key for Code Exchange, RFC 7636, with S256 only.
enum PKCE {
    /// Whether the text has the form of a challenge: base64url of 32 octets.
    static func isChallenge(_ text: String) -> Bool { Base64URL.decode(text)?.count == SHA256.byteCount }

    /// The S256 challenge for `verifier` (section 4.6), or nil when it is not a valid verifier (section 4.1).
    static func challenge(of verifier: String) -> String? {
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(PercentCoding.isUnreserved) else {
            return nil
        }
        return Base64URL.encode(SHA256.hash(verifier))
    }
}
