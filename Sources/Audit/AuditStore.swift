public import Bytes
public import Domain
public import Postgres

/// An event as it is read back.
public struct AuditEntry: Sendable {
    public let id: String
    public let at: Timestamp
    public let actorKind: String
    public let actor: String
    public let action: String
    public let targetKind: String
    public let target: String
    public let outcome: AuditEvent.Outcome
    public let ip: String?
    public let userAgent: String?
    public let requestID: String?
    /// JSON objects as PostgreSQL prints them.
    public let before: String?
    public let after: String?

    /// What `init` reads, in its order.
    static let columns: SQL = """
        event_id, at, actor_kind, actor, action, target_kind, target, outcome, ip, user_agent,
        request_id, before::text, after::text
        """

    init(_ row: inout Row) throws(PostgresFailure) {
        id = try row.next()
        at = try row.next()
        actorKind = try row.next()
        actor = try row.next()
        action = try row.next()
        targetKind = try row.next()
        target = try row.next()
        outcome = try row.next()
        ip = try row.next()
        userAgent = try row.next()
        requestID = try row.next()
        before = try row.next()
        after = try row.next()
    }
}

/// Reads the audit log of one team, newest first.
public struct AuditStore: Sendable {
    /// A place in the log: the event a page ended with.
    public struct Cursor: Sendable {
        public let at: Timestamp
        public let id: String

        public init(at: Timestamp, id: String) {
            self.at = at
            self.id = id
        }
    }

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Up to `limit` events, those before `cursor` when there is one.
    public func list(
        in team: TeamID,
        before cursor: Cursor? = nil,
        limit: Int
    ) async throws(PostgresFailure) -> [AuditEntry] {
        let page: SQL =
            if let cursor { "AND (at, event_id) < (\(cursor.at), \(cursor.id))" } else { "" }
        let rows = try await database.query(
            """
            SELECT \(AuditEntry.columns)
            FROM audit_events
            WHERE team_id = \(team) \(page)
            ORDER BY at DESC, event_id DESC
            LIMIT \(limit)
            """,
            in: team
        )
        var entries: [AuditEntry] = []
        for var row in rows { entries.append(try AuditEntry(&row)) }
        return entries
    }
}
