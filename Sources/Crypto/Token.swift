import Core

/// A secret that its holder sends back: 32 random octets, of which the database stores only the SHA-256.
///
/// - Parameter Purpose: keeps tokens of links and of sessions apart.
public struct Token<Purpose>: Sendable {
    private static var byteCount: Int { 32 }

    /// Text in a link or cookie: base64url, 43 characters.
    public let text: String
    /// SHA-256 of the octets, which is stored and looked up.
    public let hash: [UInt8]

    public init(random: RandomSource) {
        let bytes = random.bytes(Self.byteCount)
        text = Base64URL.encode(bytes)
        hash = SHA256.hash(bytes)
    }

    /// Parses a token that was sent; nil if it is malformed, because each token has exactly one encoding.
    public init?(text: String) {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount else {
            return nil
        }
        self.text = text
        hash = SHA256.hash(bytes)
    }
}

/// Omits the secret from descriptions, so that no log line can contain it.
extension Token: CustomStringConvertible, CustomReflectable {
    public var description: String { "Token" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The secret in a one-time link.
public typealias LinkToken = Token<LinkPurpose>

public enum LinkPurpose {}
