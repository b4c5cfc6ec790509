import Core
import Directory
import Platform
import Postgres

/// A team's users, in the transaction that reads them or applies a file.
enum ProvisionedUserStore {
    /// The users with one of these login names.
    static func find(_ logins: [LoginName], in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> [RegisteredUser]
    {
        let rows = try await transaction.query(
            """
            \(selection) WHERE l.team_id = \(team) AND l.login = ANY(\(logins.map(\.rawValue)))
            ORDER BY l.login
            """)
        return try read(rows)
    }

    /// Every user that a file can name: those who sign in with their address.
    static func all(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> [RegisteredUser]
    {
        let rows = try await transaction.query(
            """
            \(selection) WHERE l.team_id = \(team) AND u.email_key = l.login
            ORDER BY l.login
            """)
        return try read(rows)
    }

    static func rename(
        _ user: RegisteredUser, to name: PersonName, in team: TeamID, by actor: Actor, from origin: Origin,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(UserStore.renaming(user.subject, to: name, in: team))
        // Names are not logged, because the log outlives the user.
        try await record(
            "user.updated", user, after: ["changed": ["name"]], in: team, by: actor, from: origin, transaction)
    }

    private static let selection: SQL = """
        SELECT u.sub, l.login, u.given_name, u.family_name, u.email
        FROM login_names AS l
        JOIN users AS u ON u.team_id = l.team_id AND u.sub = l.sub
        """

    private static func read(_ rows: Rows) throws(PostgresFailure) -> [RegisteredUser] {
        try rows.all(RegisteredUser.init)
    }

    private static func record(
        _ action: String, _ user: RegisteredUser, after: JSONValue, in team: TeamID, by actor: Actor,
        from origin: Origin, _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        let target = AuditEvent.Target("user", user.subject.rawValue)
        try await AuditEvent(action, by: actor, on: target, from: origin, after: after).record(in: team, transaction)
    }
}
