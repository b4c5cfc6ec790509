public import Platform
public import Postgres

/// Counts pending revocations of teams in deletion, for operators.
public struct WaitingRevocationStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Number of pending revocations of each team, up to `TeamTokenEndStore.countLimit`.
    public func waiting(in teams: [TeamID]) async throws(PostgresFailure) -> [TeamID: Int] {
        guard !teams.isEmpty else { return [:] }
        let pending = UpstreamRevocation.pending(in: "asked.team_id" as SQL)
        let rows = try await database.query(
            """
            SELECT asked.team_id, (
                SELECT count(*) FROM (\(pending) LIMIT \(TeamTokenEndStore.countLimit)) AS waiting
            )
            FROM unnest(\(teams.map(\.rawValue))::text[]) AS asked (team_id)
            """)
        var counts: [TeamID: Int] = [:]
        for var row in rows { counts[try row.next()] = try row.next() }
        return counts
    }
}
