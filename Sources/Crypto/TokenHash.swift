import Core

/// `at_hash` and `c_hash` of an ID token (OpenID Connect Core 1.0, sections 3.1.3.6 and 3.3.2.11).
public enum TokenHash {
    /// The left half of the SHA-256 of a code or access token in base64url, as required for RS256 and ES256.
    public static func of(_ token: String) -> String {
        Base64URL.encode(SHA256.hash(token).prefix(SHA256.byteCount / 2))
    }
}
