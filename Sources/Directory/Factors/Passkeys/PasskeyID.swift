import Bytes
import Crypto

/// The name of a passkey that is no secret: what a page may show and a form send back.
public struct PasskeyID: Hashable, Sendable {
    let hash: [UInt8]

    init(credential: [UInt8]) {
        hash = SHA256.hash(credential)
    }

    /// The passkey named by `text`, or nil when that is not the name of any.
    public init?(text: String) {
        guard text.utf8.count <= 64, let hash = Base64URL.decode(text), hash.count == SHA256.byteCount else {
            return nil
        }
        self.hash = hash
    }

    public var text: String { Base64URL.encode(hash) }
}
