import Core
public import Crypto
public import Postgres

/// A refresh token: opaque, in the form of Apple's tokens.
///
/// Like Apple's, the token of a client with a secret is valid until it is revoked. In the token of a public client the
/// first half is its id and the second its proof, which is rotated at each use (RFC 9700 section 4.14.2).
public struct RefreshToken: Sendable {
    let text: String
    /// Its id in the database: the first 16 octets of a SHA-256.
    public let id: [UInt8]
    /// SHA-256 of the current token of a public client; nil for a token that is not rotated.
    public let secretHash: [UInt8]?

    private static let lasting = "mrs"
    private static let rotating = "mrp"

    /// Makes a token for a client that has a secret.
    public init(random: RandomSource) { self.init(lasting: OpaqueText.make("r", tag: Self.lasting, random: random)) }

    /// Makes the first token of a session of a public client.
    public static func rotating(random: RandomSource) -> RefreshToken {
        RefreshToken(rotating: OpaqueText.make("r", tag: rotating, random: random))
    }

    /// The token a client sent, or nil when the text does not have the form of a refresh token.
    init?(_ text: String) {
        switch OpaqueText.tag(of: text, letter: "r") {
        case Self.lasting: self.init(lasting: text)
        case Self.rotating: self.init(rotating: text)
        default: return nil
        }
    }

    /// Makes the next token of the same session.
    func rotated(random: RandomSource) -> RefreshToken {
        RefreshToken(rotating: "\(Self.name(in: text)).0.\(Self.rotating).\(Base64URL.encode(random.bytes(16)))")
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

/// Public ID of a refresh token: the first 16 octets of its SHA-256, in hexadecimal; not usable as the token.
public struct RefreshTokenID: SQLText, Hashable, Sendable {
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == 32, let octets = Hex.decode(rawValue), Hex.encode(octets) == rawValue else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// ID as stored in the token's row.
    public var octets: [UInt8] { Hex.decode(rawValue) ?? [] }
}
