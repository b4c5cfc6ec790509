import Bytes
import Crypto
import Domain

/// An access token: the id of the refresh token it came with and its end, authenticated with a key of the team.
///
/// It needs no row of its own: whether it is good is whether its refresh token is. It names no one, and any changed
/// or missing bit makes it void.
struct AccessToken: Sendable {
    let refreshTokenID: [UInt8]
    let expiresAt: Timestamp

    private static let version: UInt8 = 1
    private static let payloadCount = 1 + 16 + 4
    /// The letter, then the payload and its code of 16 octets in base64url: one token has one spelling.
    private static let textCount = 1 + ((payloadCount + 16) * 4 + 2) / 3

    init(refreshTokenID: [UInt8], expiresAt: Timestamp) {
        self.refreshTokenID = refreshTokenID
        self.expiresAt = expiresAt
    }

    /// The token a client sent, or nil when the team did not issue it.
    init?(_ text: String, of team: TeamSnapshot) {
        guard text.utf8.count == Self.textCount, let payload = team.accessTokens.open(text),
            payload.count == Self.payloadCount, payload[0] == Self.version
        else { return nil }
        refreshTokenID = Array(payload[1..<17])
        expiresAt = Timestamp(seconds: payload[17...].reduce(0) { $0 << 8 | Int($1) })
    }

    func text(of team: TeamSnapshot) -> String {
        var payload = [Self.version] + refreshTokenID
        let seconds = UInt32(clamping: expiresAt.seconds)
        for shift in [24, 16, 8, 0] as [UInt32] {
            payload.append(UInt8(truncatingIfNeeded: seconds >> shift))
        }
        return team.accessTokens.mint(payload: payload)
    }

    /// What authenticates the tokens of `team`.
    static func authentication(of team: TeamID, keyRing: KeyRing) -> OpaqueToken {
        OpaqueToken(prefix: "a", keys: keyRing.deriveAll(purpose: "access-tokens:\(team)"))
    }
}
