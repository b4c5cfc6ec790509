public import Core
import Directory
public import Platform
public import Postgres

/// Reports whether a provider's notifications reach the team, judged by those received.
public struct UpstreamNotificationReceiptStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Time of the last verified notification; nil if none arrived within ninety days.
    public func last(from provider: ProviderID, in team: TeamID) async throws(PostgresFailure) -> Timestamp? {
        let rows = try await database.query(
            "SELECT max(received_at) FROM provider_notices WHERE team_id = \(team) AND provider = \(provider)", in: team
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }
}
