public import Platform
public import Postgres

/// Lists all teams, for periodic work on each of them.
public struct TeamEnumerationStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// The teams in the order of their ids; the system team is left out, because it has no apps.
    public func list() async throws(PostgresFailure) -> [TeamID] {
        let rows = try await database.query(
            "SELECT team_id FROM teams WHERE deleted_at IS NULL AND NOT is_system ORDER BY team_id")
        return try rows.column()
    }
}
