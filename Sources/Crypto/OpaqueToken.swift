import Core

/// A kind of token that only its issuer interprets: a prefix, then a payload and its authentication code.
///
/// `prefix ‖ base64url(payload ‖ left 16 bytes of HMAC-SHA256(prefix ‖ payload))`. The payload is not hidden
/// but cannot be changed, and each token has exactly one encoding. Encryption would hide it but needs a nonce, and
/// random nonces of AES-GCM limit a key to 2³² tokens: two weeks at 3,000 per second.
public struct OpaqueToken: Sendable {
    private static let codeCount = 16
    private static let maximumCount = 1024

    private let prefix: [UInt8]
    private let keys: [HMACSHA256]

    /// Creates a kind of token that begins with `prefix`; the first key creates tokens, all keys open them.
    public init(prefix: StaticString, keys: [SymmetricKey]) {
        precondition(prefix.isASCII && !keys.isEmpty)
        self.prefix = Array(prefix.description.utf8)
        self.keys = keys.map { HMACSHA256(key: $0) }
    }

    /// Creates a token for `payload`, which must be shorter than 700 bytes.
    public func mint(payload: [UInt8]) -> String {
        let code = keys[0].code(for: prefix + payload).prefix(Self.codeCount)
        let token = String(decoding: prefix, as: UTF8.self) + Base64URL.encode(payload + code)
        precondition(token.utf8.count <= Self.maximumCount, "a payload too long for a token")
        return token
    }

    /// The payload of a token created with one of the keys; nil for another prefix or key, a changed bit, a missing
    /// byte.
    public func open(_ token: String) -> [UInt8]? {
        guard token.utf8.count <= Self.maximumCount, token.utf8.starts(with: prefix) else { return nil }
        guard let bytes = Base64URL.decode(token.utf8.dropFirst(prefix.count)) else { return nil }
        guard bytes.count >= Self.codeCount else { return nil }
        let payload = Array(bytes.dropLast(Self.codeCount))
        let code = Array(bytes.suffix(Self.codeCount))
        let isAuthentic = keys.contains { key in
            ConstantTime.equal(Array(key.code(for: prefix + payload).prefix(Self.codeCount)), code)
        }
        return isAuthentic ? payload : nil
    }
}
