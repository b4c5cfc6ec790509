public import Postgres

/// Writes events of actions that change nothing, such as viewing a record.
public struct AuditEventLogStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Writes the event; it is committed when this returns.
    public func record(_ event: AuditEvent, in team: TeamID) async throws(PostgresFailure) {
        try await database.query(event.insertion(in: team), in: team)
    }
}
