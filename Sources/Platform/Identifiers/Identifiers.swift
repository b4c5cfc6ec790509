import Core
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

/// Id of a key that signs client secrets: 10 characters A-Z and 0-9, like Apple's key ids.
public struct KeyID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard TenCharacterID.isValid(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
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

/// Identifier of an App ID (a bundle ID) or of a Service ID: the protocol's `client_id`.
///
/// Letters, digits, `-` and `.`, in reverse-DNS form, at most 255 characters. Identifiers of one team must differ in
/// more than case, although the protocol compares them exactly (Apple, TN3107).
public struct ClientID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public static let maximumLength = 255

    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count <= Self.maximumLength else { return nil }
        var labels = 1
        var length = 0
        for character in rawValue.utf8 {
            switch character {
            case UInt8(ascii: ".") where length > 0: (labels, length) = (labels + 1, 0)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                length += 1
            default: return nil
            }
        }
        guard labels >= 2, length > 0 else { return nil }
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

/// Stable id of a user inside one team (`sub` of OpenID Connect Core section 2); never an email address.
///
/// Generated ids have the format `000000.<32 hex>.0000`; a user created by a sign-in with Apple keeps Apple's `sub`.
public struct Subject: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        guard !rawValue.isEmpty, rawValue.utf8.count <= 255, rawValue.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// Creates a subject from 32 hexadecimal digits, which the caller generates at random.
    public init(hexadecimal digits: String) { rawValue = "000000.\(digits).0000" }

    public var description: String { rawValue }
}

/// Id of a provider that users sign in at: a lowercase letter, then up to 31 lowercase letters, digits and hyphens.
///
/// Which providers there are is up to the release: rows of one that this release does not have are left to the release
/// that wrote them.
public struct ProviderID: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        let isLetter = { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 as UInt8) }
        guard rawValue.utf8.count <= 32, let first = rawValue.utf8.first, isLetter(first),
            rawValue.utf8.allSatisfy({ isLetter($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.rawValue = rawValue
    }

    private init(known rawValue: String) { self.rawValue = rawValue }

    public static let apple = ProviderID(known: "apple")

    public var description: String { rawValue }
}

/// An unguessable id: 26 characters of base32, five random bits each.
///
/// - Parameter Named: type of the named thing, so that an id cannot be used as an id of another kind.
public struct RandomID<Named>: SQLText, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init?(rawValue: String) {
        let isID =
            rawValue.utf8.count == length
            && rawValue.utf8.allSatisfy { character in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
                    || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(character)
            }
        guard isID else { return nil }
        self.rawValue = rawValue
    }

    /// Creates a random id.
    public init(random: RandomSource) { rawValue = random.text(length, from: .readable) }

    public var description: String { rawValue }
}

private let length = 26

/// Role of a console account in a team.
public enum Role: String, SQLText, CaseIterable, Sendable {
    /// Operator of the installation: a member of the system team.
    case `operator`
    case owner
    case admin
    case developer
    case auditor

    /// Rights that the role grants in its team.
    public var rights: Set<Right> {
        switch self {
        case .operator: []
        case .owner: Set(Right.allCases)
        case .admin: Set(Right.allCases).subtracting([.dangerZone])
        case .developer: [.read, .changeRegistry]
        case .auditor: [.read, .exportAudit]
        }
    }

    /// Whether a member with this role may invite, change or remove a member with the role `other` in the same team.
    public func mayManage(_ other: Role) -> Bool {
        switch self {
        case .owner: other != .operator
        case .admin: other == .admin || other == .developer || other == .auditor
        case .operator, .developer, .auditor: false
        }
    }
}

/// A right that a route requires of the signed-in account.
public enum Right: CaseIterable, Hashable, Sendable {
    /// Reading every page of the team, except secrets.
    case read
    /// Exporting the audit log and verifying it against its seals.
    case exportAudit
    /// Changing App IDs, Service IDs, domains and return URLs; test sign-ins, test notifications and check-ups.
    case changeRegistry
    case changeKeys
    case changeUsers
    case changeMembers
    case changeSettings
    case dangerZone
}
