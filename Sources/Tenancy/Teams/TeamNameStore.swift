public import Domain
public import Postgres

/// The names of teams, for lists that speak of many.
public struct TeamNameStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) {
        self.database = database
    }

    /// The names of those of these teams that there are; the system team among them.
    public func names(of teams: Set<TeamID>) async throws(PostgresFailure) -> [TeamID: String] {
        guard !teams.isEmpty else { return [:] }
        let rows = try await database.query(
            "SELECT team_id, name FROM teams WHERE team_id = ANY (\(teams.map(\.rawValue)))"
        )
        var names: [TeamID: String] = [:]
        for var row in rows { names[try row.next()] = try row.next(String.self) }
        return names
    }
}
