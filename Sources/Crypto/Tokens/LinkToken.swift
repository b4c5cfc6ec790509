internal import Bytes

/// The secret in a one-time link: 32 random octets, of which the database knows the SHA-256 only.
public struct LinkToken: Sendable {
    static let byteCount = 32

    /// What the link carries: base64url, 43 characters.
    public let text: String
    /// What is stored and looked for.
    public let hash: [UInt8]

    public init(random: RandomSource) {
        let bytes = random.bytes(Self.byteCount)
        text = Base64URL.encode(bytes)
        hash = SHA256.hash(bytes)
    }

    /// The token of a link, or nil when it is none in shape: one token has one spelling.
    public init?(text: String) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else {
            return nil
        }
        self.text = text
        hash = SHA256.hash(bytes)
    }
}

/// Says nothing of its secret, so that no log line can.
extension LinkToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "LinkToken" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
