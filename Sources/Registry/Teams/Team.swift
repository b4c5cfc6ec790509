public import Core
public import Platform
import Postgres

/// A tenant, to which all other data belongs.
public struct Team: Hashable, Sendable {
    public let id: TeamID
    public let configuration: TeamConfiguration
    /// Whether this is the system team, whose users are the console accounts; it is in no list.
    public let isSystem: Bool
    /// Incremented by every change, so that concurrent edits do not overwrite each other.
    public let version: Int
    public let createdAt: Timestamp
    /// When the team will be deleted, if an owner has requested that and it was not cancelled.
    public let deletionDueAt: Timestamp?
    /// When the team was closed to apps and users, at the end of the grace period; the deletion is then final.
    public let closedAt: Timestamp?
    /// When the team was deleted; since then it is visible only to operators.
    public let deletedAt: Timestamp?

    /// The columns that `init(_:)` reads, from a table with the alias `t`.
    static var columns: SQL {
        """
        t.team_id, \(TeamConfiguration.columns), t.is_system, t.version, t.created_at, t.deletion_due_at, t.closed_at,
        t.deleted_at
        """
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        configuration = try TeamConfiguration(&row)
        isSystem = try row.next()
        version = try row.next()
        createdAt = try row.next()
        deletionDueAt = try row.next()
        closedAt = try row.next()
        deletedAt = try row.next()
    }

    public var settings: TeamSettings { configuration.settings }
    public var policy: TeamPolicy { configuration.policy }
    public var branding: Branding { configuration.branding }
}
