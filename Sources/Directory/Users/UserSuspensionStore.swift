import Core
public import Platform
public import Postgres

/// Suspends and unsuspends users.
///
/// A suspended user can neither sign in nor continue: sessions end, and codes and refresh tokens do not work meanwhile.
public struct UserSuspensionStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Suspends a user and ends the user's sessions, interactions and mailed links.
    ///
    /// The user is locked first and the rows are read after that, so that a session created meanwhile is found.
    ///
    /// - Returns: false if the user does not exist or is suspended already.
    /// - Throws: `PostgresFailure`.
    public func suspend(
        _ subject: Subject, because reason: String, in team: TeamID, by actor: Actor, from origin: Origin
    ) async throws -> Bool {
        try await database.change(in: team, by: actor, from: origin, locking: .person(subject, in: team)) { change in
            try await change.query(UserStore.lock(subject, in: team))
            let suspended = try await change.query(
                """
                UPDATE users
                SET suspended_at = clock_timestamp(), credentials_version = credentials_version + 1
                WHERE team_id = \(team) AND sub = \(subject) AND suspended_at IS NULL
                """)
            guard suspended.changed == 1 else { return false }
            for table: SQL in ["mailed_links", "sessions"] {
                try await change.query("DELETE FROM \(table) WHERE team_id = \(team) AND sub = \(subject)")
            }
            try await change.record("user.suspended", .user(subject), to: ["reason": .string(reason)])
            return true
        }
    }

    /// Unsuspends a user, whose tokens work again as before.
    ///
    /// - Returns: false if the user does not exist or is not suspended.
    public func unsuspend(of subject: Subject, in team: TeamID, by actor: Actor, from origin: Origin)
        async throws(PostgresFailure) -> Bool
    {
        let event = AuditEvent("user.unsuspended", by: actor, on: .user(subject), from: origin)
        let rows = try await database.query(
            """
            WITH lifted AS (
                UPDATE users SET suspended_at = NULL
                WHERE team_id = \(team) AND sub = \(subject) AND suspended_at IS NOT NULL
                RETURNING sub
            ), audit AS (
                \(event.insertion(in: team, when: "FROM lifted"))
            )
            SELECT sub FROM lifted
            """, in: team)
        return !rows.isEmpty
    }
}
