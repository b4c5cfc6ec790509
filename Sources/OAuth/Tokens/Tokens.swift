import Core
public import Crypto
import Platform
public import Postgres

/// An access token: the id of its refresh token, its expiry and random octets, authenticated with a key of the team.
///
/// It needs no row of its own: it is valid while its refresh token is. It contains no user identifier, and any changed
/// or missing bit makes it invalid.
struct AccessToken: Sendable {
    /// The holder of the token.
    enum Holder: Equatable, Sendable {
        /// The user of a refresh token.
        case user(refreshTokenID: [UInt8])
        /// The client itself, by the first 16 octets of its identifier's SHA-256.
        case client([UInt8])
    }

    let holder: Holder
    let expiresAt: Timestamp
    /// Random octets that distinguish tokens issued in the same second.
    private let distinction: ArraySlice<UInt8>

    private static let distinctionCount = 8
    /// Size of the payload in octets.
    private static let payloadCount = 1 + 16 + 4 + distinctionCount
    /// Text length: the letter, then the payload and its code of 16 octets in base64url; each token has one encoding.
    private static let textCount = 1 + ((payloadCount + 16) * 4 + 2) / 3

    init(_ holder: Holder, expiresAt: Timestamp, random: RandomSource) {
        self.holder = holder
        self.expiresAt = expiresAt
        distinction = random.bytes(Self.distinctionCount)[...]
    }

    /// The token a client sent, or nil when the team did not issue it.
    init?(_ text: String, of team: TeamSnapshot) {
        guard text.utf8.count == Self.textCount, let payload = team.accessTokens.open(text),
            payload.count == Self.payloadCount, let holder = Holder(payload)
        else { return nil }
        self.holder = holder
        expiresAt = Timestamp(seconds: payload[17..<21].reduce(0) { $0 << 8 | Int($1) })
        distinction = payload[21...]
    }

    /// The id of the refresh token it was issued with; nil for a client's own token.
    var refreshTokenID: [UInt8]? { if case .user(let id) = holder { id } else { nil } }

    func text(of team: TeamSnapshot) -> String {
        var payload = holder.octets
        let seconds = UInt32(clamping: expiresAt.seconds)
        for shift in [24, 16, 8, 0] as [UInt32] { payload.append(UInt8(truncatingIfNeeded: seconds >> shift)) }
        payload.append(contentsOf: distinction)
        return team.accessTokens.mint(payload: payload)
    }

    /// The digest that represents a client in a token.
    static func digest(of client: ClientID) -> [UInt8] { Array(SHA256.hash(client.rawValue).prefix(16)) }

    /// The authentication of the team's tokens, with keys derived from the key ring.
    static func authentication(of team: TeamID, keyRing: KeyRing) -> OpaqueToken {
        OpaqueToken(prefix: "a", keys: keyRing.deriveAll(purpose: "access-tokens:\(team)"))
    }
}

extension AccessToken.Holder {
    /// Reads one octet for the kind of holder, then sixteen for its id.
    fileprivate init?(_ payload: [UInt8]) {
        switch payload[0] {
        case 1: self = .user(refreshTokenID: Array(payload[1..<17]))
        case 2: self = .client(Array(payload[1..<17]))
        default: return nil
        }
    }

    fileprivate var octets: [UInt8] {
        switch self {
        case .user(let id): [1] + id
        case .client(let digest): [2] + digest
        }
    }
}

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
