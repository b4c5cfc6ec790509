import Core
public import Platform
public import Postgres

/// Name that a user enters to sign in: unique in the team, by default the lower-cased email address.
///
/// It is separate from the address, which may change and may be shared.
public struct LoginName: SQLText, Hashable, Sendable, CustomStringConvertible {
    public static let maximumLength = 254
    /// Longest text read, in octets.
    private static let longestText = 1024

    public let rawValue: String

    /// Creates a login name from user input, read as code and in lower case.
    ///
    /// Accepts printable ASCII without spaces, and an address whose domain has other letters; nil for any other text,
    /// which no account can have.
    public init?(rawValue: String) {
        guard rawValue.utf8.count <= Self.longestText else { return nil }
        let text = rawValue.typedCode
        let name = text.utf8.contains { $0 >= 0x80 } ? EmailAddress(typed: text)?.rawValue ?? "" : text
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
public struct LoginNameStore: Sendable {
    let database: TeamDatabase

    public init(database: TeamDatabase) { self.database = database }

    /// Whether a user of the team other than `subject` has the login name.
    public func isTaken(_ login: LoginName, in team: TeamID, exceptBy subject: Subject? = nil)
        async throws(PostgresFailure) -> Bool
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
    func rename(_ old: LoginName?, to new: LoginName, of subject: Subject, _ change: borrowing Change)
        async throws(PostgresFailure) -> Bool
    {
        let team = change.team
        let added = try await change.query(
            """
            INSERT INTO login_names (team_id, login, sub)
            SELECT \(team), \(new), \(subject)
            WHERE EXISTS (
                SELECT FROM login_names WHERE team_id = \(team) AND sub = \(subject) AND login = \(old)
            )
            ON CONFLICT (team_id, login) DO NOTHING
            """)
        guard added.changed == 1 else {
            let taken = try await change.query(
                """
                SELECT FROM login_names
                WHERE team_id = \(team) AND login = \(new) AND sub <> \(subject)
                """)
            return taken.isEmpty
        }
        try await change.query(
            "DELETE FROM login_names WHERE team_id = \(team) AND sub = \(subject) AND login = \(old)")
        return true
    }
}
