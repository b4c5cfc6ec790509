public import Domain
public import Postgres

/// Every team there is, for what is done now and then for each.
public struct EveryTeamStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) {
        self.database = database
    }

    /// The teams in the order of their ids; the system's own has no apps and is not among them.
    public func list() async throws(PostgresFailure) -> [TeamID] {
        let rows = try await database.query(
            "SELECT team_id FROM teams WHERE deleted_at IS NULL AND NOT is_system ORDER BY team_id"
        )
        return try rows.column()
    }
}
