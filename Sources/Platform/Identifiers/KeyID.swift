public import Postgres

/// Id of a key that signs client secrets: 10 characters A-Z and 0-9, like Apple's key ids.
public struct KeyID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard TenCharacterID.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
