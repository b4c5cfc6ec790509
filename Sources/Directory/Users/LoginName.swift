public import Domain
public import Postgres

/// What a person types to say who they are: unique in the team, the lower-cased e-mail address by default.
///
/// It stands apart from the address, which may change and may be shared.
public struct LoginName: SQLText, Hashable, Sendable, CustomStringConvertible {
    public static let maximumLength = 254

    public let rawValue: String

    /// The login name typed as `rawValue`: spaces around it and its case do not matter.
    ///
    /// Printable ASCII without spaces; nil for anything else, which no account can have.
    public init?(rawValue: String) {
        let typed = rawValue.utf8.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
        guard (1...Self.maximumLength).contains(typed.count), typed.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.rawValue = String(decoding: typed, as: UTF8.self).lowercased()
    }

    /// The login name a person has who chose none.
    public init(_ email: EmailAddress) {
        rawValue = email.rawValue.lowercased()
    }

    /// A name that nobody can have.
    static let nobody = LoginName(impossible: " ")

    private init(impossible rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}
