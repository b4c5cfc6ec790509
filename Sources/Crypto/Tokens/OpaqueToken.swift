internal import Bytes

/// A kind of token that only its issuer reads: a prefix, then a payload and its authentication code.
///
/// `prefix ‖ base64url(payload ‖ left 16 bytes of HMAC-SHA256(prefix ‖ payload))`. The payload is not hidden
/// but cannot be changed, and one token has one spelling. Encryption would hide it at the price of a nonce,
/// and random nonces of AES-GCM end at 2³² tokens a key: a fortnight at 3,000 a second.
public struct OpaqueToken: Sendable {
    private static let codeCount = 16
    private static let maximumCount = 1024

    private let prefix: [UInt8]
    private let keys: [HMACSHA256]

    /// Tokens that begin with `prefix`; the first key makes them, all keys open them.
    public init(prefix: StaticString, keys: [SymmetricKey]) {
        precondition(prefix.isASCII && !keys.isEmpty)
        self.prefix = Array(prefix.description.utf8)
        self.keys = keys.map { HMACSHA256(key: $0) }
    }

    /// A token for `payload`, which the caller keeps below 700 bytes.
    public func mint(payload: [UInt8]) -> String {
        let code = keys[0].code(for: prefix + payload).prefix(Self.codeCount)
        let token = String(decoding: prefix, as: UTF8.self) + Base64URL.encode(payload + code)
        precondition(token.utf8.count <= Self.maximumCount, "a payload too long for a token")
        return token
    }

    /// The payload of a token minted here, else nil: another prefix or key, a bit changed, a byte missing.
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
