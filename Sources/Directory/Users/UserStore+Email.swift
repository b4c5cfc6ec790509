import Domain
import Postgres

// A person's address, and whether mail to it reaches them.
extension UserStore {
    /// The user, as the caller's transaction sees them; locked until it ends.
    func find(
        _ subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> User? {
        let rows = try await transaction.query(
            """
            SELECT \(Self.columns) FROM users u
            WHERE u.team_id = \(team) AND u.sub = \(subject)
            FOR NO KEY UPDATE
            """
        )
        return try rows.firstValue(User.init)
    }

    /// Notes that mail to the address reached the person, if it is still theirs.
    func noteVerified(
        _ email: EmailAddress,
        of subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            UPDATE users SET is_email_verified = true
            WHERE team_id = \(team) AND sub = \(subject) AND email = \(email)
            """
        )
    }

    /// Sets an address that the person has shown to be theirs.
    func setEmail(
        _ email: EmailAddress,
        of subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            """
            UPDATE users SET email = \(email), is_email_verified = true, is_private_email = false
            WHERE team_id = \(team) AND sub = \(subject)
            """
        )
    }
}
