public import Postgres

/// Lists the teams whose logs need sealing, retention or verification.
public struct AuditBacklogStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Returns the teams with events that are not sealed yet.
    func teamsToSeal() async throws(PostgresFailure) -> [TeamID] {
        try await teams("SELECT DISTINCT team_id FROM audit_unsealed")
    }

    /// Returns the teams with events older than their retention period.
    func teamsBeyondRetention() async throws(PostgresFailure) -> [TeamID] {
        try await teams(
            """
            SELECT c.team_id FROM audit_chains c JOIN teams t ON t.team_id = c.team_id
            WHERE c.oldest_at < now() - make_interval(days => t.audit_retention_days)
            """)
    }

    /// Returns the teams with a requested verification.
    func teamsToVerify() async throws(PostgresFailure) -> [TeamID] {
        try await teams("SELECT team_id FROM audit_chains WHERE verification_asked_at IS NOT NULL")
    }

    /// Returns the teams with seals whose log was not verified within an hour, the one verified longest ago first.
    func teamsUnverified() async throws(PostgresFailure) -> [TeamID] {
        try await teams(
            """
            SELECT team_id FROM audit_chains
            WHERE sealed_at IS NOT NULL AND (verified_at IS NULL OR verified_at < now() - interval '1 hour')
            ORDER BY verified_at NULLS FIRST, team_id
            """)
    }

    /// Returns every team that has or had events in its log.
    public func teams() async throws(PostgresFailure) -> [TeamID] {
        try await teams("SELECT team_id FROM audit_chains UNION SELECT team_id FROM audit_unsealed ORDER BY 1")
    }

    /// Drops the partitions of past months that have no rows left.
    func dropPartitions() async throws(PostgresFailure) { try await database.query("SELECT pippin_drop_partitions()") }

    private func teams(_ statement: SQL) async throws(PostgresFailure) -> [TeamID] {
        var teams: [TeamID] = []
        for var row in try await database.query(statement) { teams.append(try row.next()) }
        return teams
    }
}
