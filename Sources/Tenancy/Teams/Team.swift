public import Bytes
public import Domain
import Postgres

/// A tenant: everything else belongs to one.
public struct Team: Hashable, Sendable {
    public let id: TeamID
    public let settings: TeamSettings
    /// The team whose users are the console's people; it is in no list.
    public let isSystem: Bool
    /// Raised by every change, so that two people who edit at once do not overwrite one another.
    public let version: Int
    public let createdAt: Timestamp

    /// What `init(_:)` reads, of a table that goes by `t`.
    static let columns: SQL = """
        t.team_id, t.name, t.mode, t.identity_sources, t.second_factor, t.is_system, t.version, t.created_at
        """

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        settings = try TeamSettings(&row)
        isSystem = try row.next()
        version = try row.next()
        createdAt = try row.next()
    }
}
