import Bytes
public import Domain
import Postgres

/// Keeps counts by the day: a few rows per team, so that no page walks through what it counts.
public struct DailyCountStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Adds to the counts of a team; a crash of the server in the next moments may undo it.
    func add(_ counts: [DailyCounts.Key: Int], in team: TeamID) async throws(PostgresFailure) {
        let rows = counts.sorted { left, right in
            (left.key.measure.rawValue, left.key.day, left.key.subject)
                < (right.key.measure.rawValue, right.key.day, right.key.subject)
        }
        try await database.queryRelaxed(
            """
            INSERT INTO daily_counts AS known (team_id, day, measure, subject, count)
            SELECT \(team), day::date, measure, subject, count::bigint
            FROM unnest(
                \(rows.map(\.key.day)), \(rows.map(\.key.measure.rawValue)), \(rows.map(\.key.subject)),
                \(rows.map { String($0.value) })
            ) AS given (day, measure, subject, count)
            ON CONFLICT (team_id, measure, day, subject)
            DO UPDATE SET count = known.count + excluded.count
            """,
            in: team
        )
    }
}
