public import Platform
public import Postgres

// Email address of a user and its verification.
extension UserStore {
    /// User as visible in the caller's transaction, locked until it ends.
    func find(_ subject: Subject, in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> User?
    {
        let rows = try await transaction.query(
            """
            SELECT \(Self.columns) FROM users u
            WHERE u.team_id = \(team) AND u.sub = \(subject)
            FOR NO KEY UPDATE
            """)
        return try rows.firstValue(User.init)
    }

    /// Records that the user confirmed the address, if it is still theirs.
    func noteVerified(_ email: EmailAddress, of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await transaction.query(
            """
            UPDATE users SET is_email_verified = true
            WHERE team_id = \(team) AND sub = \(subject) AND email = \(email)
            """)
    }

    /// Sets an address that the user has confirmed.
    func setEmail(_ email: EmailAddress, of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await transaction.query(
            """
            UPDATE users SET email = \(email), is_email_verified = true, is_private_email = false
            WHERE team_id = \(team) AND sub = \(subject)
            """)
    }

    /// Statement that sets the address of a user who cannot have it as a login name.
    public static func addressing(_ subject: Subject, as email: String?, isVerified: Bool, in team: TeamID) -> SQL {
        """
        UPDATE users SET email = \(email), is_email_verified = \(isVerified)
        WHERE team_id = \(team) AND sub = \(subject)
        """
    }

    /// Statement that sets the relay address of a user who has none, and yields the user as `columns`.
    public static func relaying(_ subject: Subject, by address: String?, in team: TeamID) -> SQL {
        """
        UPDATE users u SET relay_address = COALESCE(relay_address, \(address))
        WHERE team_id = \(team) AND sub = \(subject)
        RETURNING \(columns)
        """
    }

    /// Statement that renames a user.
    public static func renaming(_ subject: Subject, to name: PersonName, in team: TeamID) -> SQL {
        """
        UPDATE users SET given_name = \(name.given), family_name = \(name.family)
        WHERE team_id = \(team) AND sub = \(subject)
        """
    }
}
