public import Crypto
public import Postgres

/// Common format of the ids of teams, keys and invitations.
public enum TenCharacterID {
    public static let length = 10
    public static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    static func isValid(_ text: String) -> Bool {
        text.utf8.count == length
            && text.utf8.allSatisfy { character in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
            }
    }
}

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

/// Team ID that Apple assigned to a developer team: same format as a Pippin Team ID, different namespace.
public struct AppleTeamID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard TenCharacterID.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
