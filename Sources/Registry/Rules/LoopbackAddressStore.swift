public import Domain
public import Postgres

/// Finds what a team has registered that only a team in sandbox mode may.
public struct LoopbackAddressStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Return URLs and notification URLs of this machine, those without TLS, in their order.
    ///
    /// - Parameter limit: how many at most.
    public func list(in team: TeamID, limit: Int) async throws(PostgresFailure) -> [String] {
        let rows = try await database.query(
            """
            SELECT url FROM return_urls WHERE team_id = \(team) AND starts_with(url, 'http://')
            UNION
            SELECT notification_url FROM app_ids
            WHERE team_id = \(team) AND starts_with(notification_url, 'http://')
            ORDER BY 1 LIMIT \(limit)
            """,
            in: team
        )
        return try rows.column()
    }
}
