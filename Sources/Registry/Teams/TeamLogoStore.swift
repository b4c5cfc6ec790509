public import Platform
public import Postgres

/// Stores the logos of teams.
public struct TeamLogoStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Returns the team's logo, or nil when it has none or one with another digest.
    ///
    /// - Parameter digest: the SHA-256 in the logo's URL, in hexadecimal digits.
    public func find(_ digest: String, in team: TeamID) async throws(PostgresFailure) -> TeamLogo? {
        let rows = try await database.query(
            "SELECT media_type, octets FROM team_logos WHERE team_id = \(team) AND digest = \(digest)", in: team)
        return try rows.firstValue(TeamLogo.init)
    }
}
