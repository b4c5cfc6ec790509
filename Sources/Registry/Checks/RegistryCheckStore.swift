import Domain
import Postgres

/// Finds the teams that have something to be checked, by name and time alone.
struct RegistryCheckStore: Sendable {
    private let database: SystemDatabase

    init(_ database: SystemDatabase) {
        self.database = database
    }

    /// Those that wait longest first.
    ///
    /// A deleted team is not asked about any more.
    func dueTeams(limit: Int) async throws(PostgresFailure) -> [TeamID] {
        let rows = try await database.query(
            """
            SELECT due.team_id
            FROM (
                SELECT team_id, min(check_due_at) AS since FROM domains
                WHERE check_due_at <= now() GROUP BY team_id
                UNION ALL
                SELECT team_id, min(check_due_at) FROM email_sources
                WHERE check_due_at <= now() GROUP BY team_id
            ) AS due
            JOIN teams AS t ON t.team_id = due.team_id AND t.deleted_at IS NULL
            GROUP BY due.team_id
            ORDER BY min(due.since)
            LIMIT \(limit)
            """
        )
        return try rows.column()
    }
}
