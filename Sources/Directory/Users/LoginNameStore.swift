import Platform
import Postgres

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
