import Platform
import Postgres

/// Finds the teams with due checks; reads only the team's id and the time.
struct RegistryCheckStore: Sendable {
    private let database: SystemDatabase

    init(_ database: SystemDatabase) { self.database = database }

    /// Teams with due checks, longest overdue first.
    ///
    /// Deleted teams are left out.
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
            """)
        return try rows.column()
    }
}
