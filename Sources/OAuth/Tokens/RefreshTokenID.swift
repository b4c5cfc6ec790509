import Core
public import Postgres

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
