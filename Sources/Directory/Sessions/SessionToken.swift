import Bytes
import Crypto

/// The secret that makes a browser the holder of a session: 32 random octets.
///
/// The database knows its SHA-256 only.
public struct SessionToken: Sendable {
    static let byteCount = 32

    /// What the browser keeps: base64url, 43 characters.
    public let text: String
    let hash: [UInt8]

    init(random: RandomSource) {
        let bytes = random.bytes(Self.byteCount)
        text = Base64URL.encode(bytes)
        hash = SHA256.hash(bytes)
    }

    /// The token a browser sent, or nil when it is none in shape: one token has one spelling.
    public init?(text: String) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else {
            return nil
        }
        self.text = text
        hash = SHA256.hash(bytes)
    }
}

extension SessionToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "SessionToken" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
