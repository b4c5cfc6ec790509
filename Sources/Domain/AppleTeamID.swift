public import Postgres

/// The id that Apple gave a developer team: of the same shape as a Team ID here, and of another space.
public struct AppleTeamID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard TenCharacterID.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
