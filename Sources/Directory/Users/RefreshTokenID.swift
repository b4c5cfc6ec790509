import Bytes
public import Postgres

/// What names a refresh token without being good for anything: the first 16 octets of its SHA-256, in hexadecimal.
public struct RefreshTokenID: SQLText, Hashable, Sendable {
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == 32, let octets = Hex.decode(rawValue), Hex.encode(octets) == rawValue
        else { return nil }
        self.rawValue = rawValue
    }

    /// As the token's row has it.
    public var octets: [UInt8] { Hex.decode(rawValue) ?? [] }
}
