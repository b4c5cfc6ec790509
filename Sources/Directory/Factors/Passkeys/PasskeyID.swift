import Core
import Crypto

/// Public ID of a passkey, which pages may show and forms send back.
public struct PasskeyID: Hashable, Sendable {
    let hash: [UInt8]

    init(credential: [UInt8]) { hash = SHA256.hash(credential) }

    /// Parses an ID; nil if `text` cannot be one.
    public init?(text: String) {
        guard text.utf8.count <= 64, let hash = Base64URL.decode(text), hash.count == SHA256.byteCount else {
            return nil
        }
        self.hash = hash
    }

    public var text: String { Base64URL.encode(hash) }
}
