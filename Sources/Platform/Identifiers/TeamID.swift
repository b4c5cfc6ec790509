public import Crypto
public import Postgres

/// Id of a team: 10 characters A-Z and 0-9, unique, never reused.
public struct TeamID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// Creates an id from its text; nil if the text does not have the format of an id.
    public init?(rawValue: String) {
        guard TenCharacterID.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: String) { self.rawValue = rawValue }

    /// Creates a random id.
    public init(random: RandomSource) { rawValue = random.text(TenCharacterID.length, from: .identifier) }

    /// The built-in team whose users are the console accounts.
    public static let system = TeamID(known: "PIPPIN0000")

    public var description: String { rawValue }
}
