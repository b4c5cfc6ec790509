import Core
import Crypto
import Platform

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
