public import Platform
public import Postgres

/// Name that a user enters to sign in: unique in the team, by default the lower-cased email address.
///
/// It is separate from the address, which may change and may be shared.
public struct LoginName: SQLText, Hashable, Sendable, CustomStringConvertible {
    public static let maximumLength = 254

    public let rawValue: String

    /// Creates a login name from user input, without surrounding spaces and in lower case.
    ///
    /// Accepts printable ASCII without spaces, and an address whose domain has other letters; nil for any other text,
    /// which no account can have.
    public init?(rawValue: String) {
        let typed = rawValue.utf8.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
        let text = String(decoding: typed, as: UTF8.self)
        let name = typed.contains { $0 >= 0x80 } ? EmailAddress(typed: text)?.rawValue ?? "" : text
        guard (1...Self.maximumLength).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        self.rawValue = name.lowercased()
    }

    /// Default login name of a user who chose none.
    public init(_ email: EmailAddress) { rawValue = email.rawValue.lowercased() }

    /// Login name that no account can have.
    static let nobody = LoginName(impossible: " ")

    private init(impossible rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}
