public import Crypto
public import Postgres

/// Id of an invitation to a team: 10 characters A-Z and 0-9.
public struct InvitationID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// Creates a random id.
    public init(random: RandomSource) { rawValue = random.text(TenCharacterID.length, from: .identifier) }

    public init?(rawValue: String) {
        guard TenCharacterID.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
