import Core

/// The secret in a one-time link: 32 random octets, of which the database stores only the SHA-256.
public struct LinkToken: Sendable {
    static let byteCount = 32

    /// Text in the link: base64url, 43 characters.
    public let text: String
    /// SHA-256 of the octets, which is stored and looked up.
    public let hash: [UInt8]

    public init(random: RandomSource) {
        let bytes = random.bytes(Self.byteCount)
        text = Base64URL.encode(bytes)
        hash = SHA256.hash(bytes)
    }

    /// Parses the token of a link; nil if it is malformed, because each token has exactly one encoding.
    public init?(text: String) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else {
            return nil
        }
        self.text = text
        hash = SHA256.hash(bytes)
    }
}

/// Omits the secret from descriptions, so that no log line can contain it.
extension LinkToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "LinkToken" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
