import Bytes
import Crypto

/// A refresh token: opaque, in the shape Apple's have.
///
/// It lasts until it is revoked.
struct RefreshToken: Sendable {
    let text: String

    init(random: RandomSource) {
        text = OpaqueText.make("r", tag: "mrs", random: random)
    }

    /// The token a client sent, or nil when it cannot be one of ours.
    init?(_ text: String) {
        guard OpaqueText.tag(of: text, letter: "r") == "mrs" else { return nil }
        self.text = text
    }

    /// What is stored in its place and names it inside: the first 16 octets of its SHA-256.
    var id: [UInt8] { Array(SHA256.hash(text).prefix(16)) }
}
