public import Domain
public import Postgres

/// The logos of teams.
public struct TeamLogoStore: Sendable {
    let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// The team's logo, or nil when it has another by now, or none.
    ///
    /// - Parameter digest: the SHA-256 that its address names, in hexadecimal digits.
    public func find(_ digest: String, in team: TeamID) async throws(PostgresFailure) -> TeamLogo? {
        let rows = try await database.query(
            "SELECT media_type, octets FROM team_logos WHERE team_id = \(team) AND digest = \(digest)",
            in: team
        )
        return try rows.firstValue(TeamLogo.init)
    }
}
