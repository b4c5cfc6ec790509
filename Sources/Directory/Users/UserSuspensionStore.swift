import Audit
import Bytes
public import Domain
public import Postgres

/// Suspends users, and takes it back.
///
/// A suspended person can neither sign in nor go on: sessions end, codes and refresh tokens do not work meanwhile.
public struct UserSuspensionStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Suspends a person and ends their sessions and mailed links.
    ///
    /// - Returns: false for nobody, or somebody who is suspended already.
    public func suspend(
        _ subject: Subject,
        because reason: String,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) -> Bool {
        let event = AuditEvent(
            "user.suspended",
            by: actor,
            on: .user(subject),
            from: origin,
            after: ["reason": .string(reason)]
        )
        let rows = try await database.query(
            """
            WITH suspended AS (
                UPDATE users SET suspended_at = clock_timestamp()
                WHERE team_id = \(team) AND sub = \(subject) AND suspended_at IS NULL
                RETURNING sub
            ), ended AS (
                DELETE FROM sessions USING suspended
                WHERE sessions.team_id = \(team) AND sessions.sub = suspended.sub
            ), voided AS (
                DELETE FROM mailed_links USING suspended
                WHERE mailed_links.team_id = \(team) AND mailed_links.sub = suspended.sub
            ), audit AS (
                \(event.insertion(in: team, when: "FROM suspended"))
            )
            SELECT sub FROM suspended
            """,
            in: team
        )
        return !rows.isEmpty
    }

    /// Lets a suspended person in again; their tokens work as before.
    ///
    /// - Returns: false for nobody, or somebody who is not suspended.
    public func lift(
        of subject: Subject,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin
    ) async throws(PostgresFailure) -> Bool {
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
            """,
            in: team
        )
        return !rows.isEmpty
    }
}
