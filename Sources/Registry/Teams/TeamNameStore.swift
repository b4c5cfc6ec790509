public import Platform
public import Postgres

/// Reads the names of many teams, for lists.
public struct TeamNameStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    /// Returns the names of those of the teams that exist, including the system team.
    public func names(of teams: Set<TeamID>) async throws(PostgresFailure) -> [TeamID: String] {
        guard !teams.isEmpty else { return [:] }
        let rows = try await database.query(
            "SELECT team_id, name FROM teams WHERE team_id = ANY (\(teams.map(\.rawValue)))")
        var names: [TeamID: String] = [:]
        for var row in rows { names[try row.next()] = try row.next(String.self) }
        return names
    }
}
