public import Core
public import Crypto
public import Platform
public import Postgres

/// User of one team.
public struct User: Hashable, Sendable {
    public let subject: Subject
    public let name: PersonName
    public let email: EmailAddress?
    /// Whether the user has confirmed that mail to `email` arrives.
    public let isEmailVerified: Bool
    /// Whether `email` is a relay address of the provider through which the user signed up.
    public let isEmailPrivate: Bool
    /// Address given to apps in place of `email`; created when the user first hides it, and permanent.
    public let relayAddress: EmailAddress?
    public let createdAt: Timestamp
    public let lastSignInAt: Timestamp?
    public let suspendedAt: Timestamp?
    /// Number of changes and removals of the user's credentials; proofs from an earlier version are invalid.
    public let credentialsVersion: Int
}

extension User {
    /// Reads the columns of `UserStore.columns`.
    public init(_ row: inout Row) throws(PostgresFailure) {
        subject = try row.next()
        name = PersonName(stored: try row.next(), try row.next())
        email = try row.next()
        isEmailVerified = try row.next()
        isEmailPrivate = try row.next()
        relayAddress = try row.next()
        createdAt = try row.next()
        lastSignInAt = try row.next()
        suspendedAt = try row.next()
        credentialsVersion = try row.next()
    }
}

/// User to be added to a team.
public struct NewUser: Sendable {
    public let name: PersonName
    public let email: EmailAddress?
    public let isEmailVerified: Bool
    /// Login name; nil for a user who signs in another way.
    public let login: LoginName?
    public let password: PasswordHash?

    /// - Parameters:
    ///   - login: the lower-cased address if nil.
    ///   - password: hashed beforehand, because hashing takes longer than a transaction should.
    public init(
        name: PersonName, email: EmailAddress?, isEmailVerified: Bool = false, login: LoginName? = nil,
        password: PasswordHash? = nil
    ) {
        self.name = name
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.login = login ?? email.map(LoginName.init)
        self.password = password
    }
}

/// Name of a user in the two parts that Apple's protocol has; either may be empty.
public struct PersonName: Hashable, Sendable {
    /// Most Unicode scalars of each part.
    public static let maximumLength = 100

    public let given: String
    public let family: String

    /// Empty name.
    public static let none = PersonName(stored: "", "")

    /// Creates a name from user input, cleaned; nil if a part is then too long.
    public init?(given: String, family: String) {
        self.init(stored: Self.cleaned(given), Self.cleaned(family))
        guard [self.given, self.family].allSatisfy({ $0.unicodeScalars.count <= Self.maximumLength }) else {
            return nil
        }
    }

    /// Creates a name from what a provider sends once, cleaned; a part that is too long is cut.
    public init(sentOnce given: String, _ family: String) { self.init(stored: Self.cut(given), Self.cut(family)) }

    /// Creates a name from stored parts, which were checked before they were stored.
    public init(stored given: String, _ family: String) {
        self.given = given
        self.family = family
    }

    public var isEmpty: Bool { given.isEmpty && family.isEmpty }

    /// Both parts, as a name of that script is written: the family name first, without a blank, in Han, kana and
    /// Hangul; else the given name first (CLDR, person names).
    public var full: String {
        if given.isEmpty || family.isEmpty { return given + family }
        return (given + family).unicodeScalars.allSatisfy(\.isEastAsian) ? family + given : given + " " + family
    }

    private static func cut(_ text: String) -> String {
        cleaned(String(String.UnicodeScalarView(cleaned(text).unicodeScalars.prefix(maximumLength))))
    }

    /// The text as one line: without bidirectional controls (Unicode Standard Annex 9, section 2), with a blank for
    /// every other control and line break, and without white space around it.
    ///
    /// With these, a name could rearrange the page on which it is displayed; address books contain them unseen.
    private static func cleaned(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !scalar.properties.isBidiControl {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return String(scalars).trimmedWhiteSpace
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is written in a Chinese, Japanese or Korean name: Han, kana, bopomofo, Hangul, and their marks
    /// (Unicode Standard, Blocks.txt).
    fileprivate var isEastAsian: Bool {
        switch value {
        case 0x1100...0x11FF, 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x31BF, 0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF, 0xFE00...0xFE0F,
            0xFF66...0xFFDC, 0x1AFF0...0x1B16F, 0x20000...0x3FFFF, 0xE0100...0xE01EF:
            true
        default: false
        }
    }
}

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

/// Login names of a team's users.
struct LoginNameStore: Sendable {
    let database: TeamDatabase

    /// Whether a user of the team other than `subject` has the login name.
    func isTaken(_ login: LoginName, in team: TeamID, exceptBy subject: Subject? = nil) async throws(PostgresFailure)
        -> Bool
    {
        let rows = try await database.query(
            """
            SELECT FROM login_names
            WHERE team_id = \(team) AND login = \(login) AND sub IS DISTINCT FROM \(subject)
            """, in: team)
        return !rows.isEmpty
    }

    /// Renames a user's login name, if the user has the old one.
    ///
    /// - Returns: false if the new one belongs to another user.
    func rename(
        _ old: LoginName?, to new: LoginName, of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        let added = try await transaction.query(
            """
            INSERT INTO login_names (team_id, login, sub)
            SELECT \(team), \(new), \(subject)
            WHERE EXISTS (
                SELECT FROM login_names WHERE team_id = \(team) AND sub = \(subject) AND login = \(old)
            )
            ON CONFLICT (team_id, login) DO NOTHING
            """)
        guard added.changed == 1 else {
            let taken = try await transaction.query(
                """
                SELECT FROM login_names
                WHERE team_id = \(team) AND login = \(new) AND sub <> \(subject)
                """)
            return taken.isEmpty
        }
        try await transaction.query(
            "DELETE FROM login_names WHERE team_id = \(team) AND sub = \(subject) AND login = \(old)")
        return true
    }
}
