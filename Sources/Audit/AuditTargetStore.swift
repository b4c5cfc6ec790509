public import Domain
public import Postgres

/// Reads what happened to one thing, newest first.
public struct AuditTargetStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Up to `limit` events about `target`.
    public func list(
        about target: AuditEvent.Target,
        in team: TeamID,
        limit: Int
    ) async throws(PostgresFailure) -> [AuditEntry] {
        let rows = try await database.query(
            """
            SELECT \(AuditEntry.columns)
            FROM audit_events
            WHERE team_id = \(team) AND target_kind = \(target.kind) AND target = \(target.name)
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
