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

    /// Returns the newest events about a target, up to `limit`; those of a user include the sign-ins, whose targets are apps.
    public func list(about target: AuditEvent.Target, in team: TeamID, limit: Int) async throws(PostgresFailure)
        -> [AuditEntry]
    {
        try await list(
            """
            SELECT e.team_id, \(AuditEntry.storedColumns) FROM (
                (SELECT * FROM audit_events
                WHERE team_id = \(team) AND target = \(target.name) AND target_kind = \(target.kind)
                ORDER BY at DESC, event_id DESC
                LIMIT \(limit))
                UNION ALL
                (SELECT * FROM audit_events
                WHERE team_id = \(team) AND actor = \(target.name) AND target_kind <> \(target.kind)
                    AND action = \(AuditEvent.signInCompleted)
                ORDER BY at DESC, event_id DESC
                LIMIT \(limit))
            ) AS e
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
