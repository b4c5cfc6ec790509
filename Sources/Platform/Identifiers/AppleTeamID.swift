public import Postgres

/// Team ID that Apple assigned to a developer team: same format as a Pippin Team ID, different namespace.
public struct AppleTeamID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard TenCharacterID.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
