public import Bytes
public import Directory
public import Domain
public import Postgres

/// Tells whether a provider reaches the team with its notices: seen by those that came.
public struct ProviderNoticeArrivalStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// When the last one came that was proved to be the provider's; nil when none did within ninety days.
    public func last(from provider: ProviderID, in team: TeamID) async throws(PostgresFailure) -> Timestamp? {
        let rows = try await database.query(
            "SELECT max(received_at) FROM provider_notices WHERE team_id = \(team) AND provider = \(provider)",
            in: team
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }
}
