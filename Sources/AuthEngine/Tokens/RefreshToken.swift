import Bytes
import Crypto

/// A refresh token: opaque, in the shape Apple's have.
///
/// One that a client with a secret holds lasts until it is revoked, as Apple's do. One of a public client is named by
/// its first half and proved by the second, which changes with each use (RFC 9700 section 4.14.2).
struct RefreshToken: Sendable {
    let text: String
    /// What names it inside: the first 16 octets of a SHA-256.
    let id: [UInt8]
    /// What is stored of the half that changes; nil where nothing does.
    let secretHash: [UInt8]?

    private static let lasting = "mrs"
    private static let rotating = "mrp"

    /// A token for a client that has a secret.
    init(random: RandomSource) {
        self.init(lasting: OpaqueText.make("r", tag: Self.lasting, random: random))
    }

    /// The first token of a session of a public client.
    static func rotating(random: RandomSource) -> RefreshToken {
        RefreshToken(rotating: OpaqueText.make("r", tag: rotating, random: random))
    }

    /// The token a client sent, or nil when it cannot be one of ours.
    init?(_ text: String) {
        switch OpaqueText.tag(of: text, letter: "r") {
        case Self.lasting: self.init(lasting: text)
        case Self.rotating: self.init(rotating: text)
        default: return nil
        }
    }

    /// The next token of the same session.
    func rotated(random: RandomSource) -> RefreshToken {
        RefreshToken(
            rotating: "\(Self.name(in: text)).0.\(Self.rotating).\(Base64URL.encode(random.bytes(16)))"
        )
    }

    private init(lasting text: String) {
        self.text = text
        id = Self.id(of: text)
        secretHash = nil
    }

    private init(rotating text: String) {
        self.text = text
        id = Self.id(of: Self.name(in: text))
        secretHash = SHA256.hash(text)
    }

    private static func id(of text: String) -> [UInt8] { Array(SHA256.hash(text).prefix(16)) }

    private static func name(in text: String) -> String { String(text.prefix { $0 != "." }) }
}
