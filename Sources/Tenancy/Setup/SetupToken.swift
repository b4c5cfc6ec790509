import Bytes
import Crypto

/// The secret in a set-up link: 32 random octets, of which the database knows the SHA-256 only.
public struct SetupToken: Sendable {
    static let byteCount = 32

    /// What the link carries: base64url, 43 characters.
    public let text: String
    let hash: [UInt8]

    init(random: RandomSource) {
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

extension SetupToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "SetupToken" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
