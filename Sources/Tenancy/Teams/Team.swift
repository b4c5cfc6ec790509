public import Bytes
public import Domain
import Postgres

/// A tenant: everything else belongs to one.
public struct Team: Hashable, Sendable {
    public let id: TeamID
    public let configuration: TeamConfiguration
    /// The team whose users are the console's people; it is in no list.
    public let isSystem: Bool
    /// Raised by every change, so that two people who edit at once do not overwrite one another.
    public let version: Int
    public let createdAt: Timestamp
    /// When the team will be deleted, where an owner has asked for it and nobody has taken it back.
    public let deletionDueAt: Timestamp?
    /// When that day had come, and the team was closed to apps and people; the deletion cannot be taken back since.
    public let closedAt: Timestamp?
    /// When it was deleted; nobody but operators hears of it since.
    public let deletedAt: Timestamp?

    /// What `init(_:)` reads, of a table that goes by `t`.
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
