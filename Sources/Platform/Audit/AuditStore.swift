public import Postgres

/// Reads the audit log of one team, newest first.
public struct AuditStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Returns the newest events, up to `limit`.
    public func list(in team: TeamID, limit: Int) async throws(PostgresFailure) -> [AuditEntry] {
        try await list(
            """
            SELECT e.team_id, \(AuditEntry.storedColumns) FROM audit_events e
            WHERE e.team_id = \(team)
            ORDER BY e.at DESC, e.event_id DESC
            LIMIT \(limit)
            """, in: team)
    }

    /// Returns the newest events about a target, up to `limit`.
    public func list(about target: AuditEvent.Target, in team: TeamID, limit: Int) async throws(PostgresFailure)
        -> [AuditEntry]
    {
        try await list(
            """
            SELECT e.team_id, \(AuditEntry.storedColumns) FROM audit_events e
            WHERE e.team_id = \(team) AND e.target = \(target.name) AND e.target_kind = \(target.kind)
            ORDER BY e.at DESC, e.event_id DESC
            LIMIT \(limit)
            """, in: team)
    }

    /// Returns the event with a time and id, or nil when the team has none.
    public func find(_ place: AuditEntry.Place, in team: TeamID) async throws(PostgresFailure) -> AuditEntry? {
        try await list(
            """
            SELECT e.team_id, \(AuditEntry.storedColumns) FROM audit_events e
            WHERE e.team_id = \(team) AND e.at = \(place.at) AND e.event_id = \(place.id)
            """, in: team
        ).first
    }

    private func list(_ events: SQL, in team: TeamID) async throws(PostgresFailure) -> [AuditEntry] {
        let rows = try await database.query(
            """
            SELECT \(AuditEntry.columns) FROM \(AuditEntry.naming(events))
            ORDER BY e.at DESC, e.event_id DESC
            """, in: team)
        return try AuditEntry.all(rows)
    }
}

// The columns and joins of an event.
extension AuditEntry {
    /// The stored columns of an event, from a table with the alias `e`.
    static let storedColumns: SQL = """
        e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
        e.request_id, e.before, e.after
        """

    /// The columns that `init` reads, from the result of `naming`.
    static let columns: SQL = """
        e.event_id, e.at, e.actor_kind, e.actor, e.action, e.target_kind, e.target, e.outcome, e.ip, e.user_agent,
        e.request_id, e.before::text, e.after::text, a.name, a.email, t.name, t.email
        """

    /// Joins `events`, which include their team, with the names of actors and targets, under the aliases in `columns`.
    ///
    /// OFFSET 0 keeps PostgreSQL from joining the page with every name in the log: without the number of events it
    /// assumes many.
    static func naming(_ events: SQL) -> SQL {
        """
        (\(events)) AS e
        LEFT JOIN LATERAL (
            SELECT p.name, p.email FROM audit_people p
            WHERE p.team_id = e.team_id AND p.kind = e.actor_kind AND p.sub = e.actor
            OFFSET 0
        ) AS a ON true
        LEFT JOIN LATERAL (
            SELECT p.name, p.email FROM audit_people p
            WHERE p.team_id = e.team_id AND p.sub = e.target
                AND p.kind = CASE e.target_kind WHEN 'user' THEN 'person' ELSE e.target_kind END
            OFFSET 0
        ) AS t ON true
        """
    }
}
