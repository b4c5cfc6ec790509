import Core
import Crypto

/// Secret that identifies the session of a browser: 32 random octets.
///
/// The database stores only its SHA-256.
public struct SessionToken: Sendable {
    static let byteCount = 32

    /// Value that the browser stores: base64url, 43 characters.
    public let text: String
    let hash: [UInt8]

    init(random: RandomSource) {
        let bytes = random.bytes(Self.byteCount)
        text = Base64URL.encode(bytes)
        hash = SHA256.hash(bytes)
    }

    /// Parses a token that a browser sent; nil if malformed, because each token has only one spelling.
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
