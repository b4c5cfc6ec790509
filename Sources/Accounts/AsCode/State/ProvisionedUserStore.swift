import Core
import Directory
import Platform
import Postgres
import Registry

/// A team's users, in the transaction that reads them or applies a file.
enum ProvisionedUserStore {
    /// The users with one of these login names.
    static func find(_ logins: [LoginName], in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> [RegisteredUser]
    {
        try await transaction.query(
            """
            \(selection) WHERE l.team_id = \(team) AND l.login = ANY(\(logins.map(\.rawValue)))
            ORDER BY l.login
            """
        ).all(RegisteredUser.init)
    }

    /// Every user that a file can name: those who sign in with their address.
    static func all(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> [RegisteredUser]
    {
        try await transaction.query(
            """
            \(selection) WHERE l.team_id = \(team) AND u.email_key = l.login
            ORDER BY l.login
            """
        ).all(RegisteredUser.init)
    }

    static func rename(_ user: RegisteredUser, to name: PersonName, _ change: borrowing Change)
        async throws(PostgresFailure)
    {
        try await change.query(UserStore.renaming(user.subject, to: name, in: change.team))
        // Names are not logged, because the log outlives the user.
        try await change.record("user.updated", .user(user.subject), to: ["changed": ["name"]])
    }

    private static let selection: SQL = """
        SELECT u.sub, l.login, u.given_name, u.family_name, u.email
        FROM login_names AS l
        JOIN users AS u ON u.team_id = l.team_id AND u.sub = l.sub
        """
}

/// A team's own row, in the transaction that applies a file.
enum ProvisionedTeamStore {
    /// Reads a team's settings and locks its row until the transaction ends.
    static func lock(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)
        -> RegisteredTeam.State
    {
        let rows = try await transaction.query(
            """
            SELECT coalesce(closed_at, deleted_at) IS NOT NULL, \(TeamSettings.columns)
            FROM teams
            WHERE team_id = \(team) AND NOT is_system
            FOR NO KEY UPDATE
            """)
        guard var row = rows.first else { return .absent }
        if try row.next(Bool.self) { return .deleted }
        return .present(try TeamSettings(&row))
    }

    static func update(from old: TeamSettings, to new: TeamSettings, _ change: borrowing Change)
        async throws(PostgresFailure)
    {
        try await change.query(TeamStore.update(change.team, to: new))
        let target = AuditEvent.Target("team", change.team.rawValue)
        try await change.record("team.updated", target, from: old.typed, to: new.typed)
    }
}
