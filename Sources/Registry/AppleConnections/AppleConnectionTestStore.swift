public import Core
public import Platform
public import Postgres

/// The last test of each client of each connection.
public struct AppleConnectionTestStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// The tests of one connection, in the order of clients.
    public func list(of appID: ClientID, in team: TeamID) async throws(PostgresFailure) -> [AppleConnectionTest] {
        let rows = try await database.query(
            """
            SELECT client_id, key_id, apple_team_id, outcome, detail, tested_at
            FROM apple_connection_tests
            WHERE team_id = \(team) AND app_id = \(appID)
            ORDER BY client_id
            """, in: team)
        return try rows.all(AppleConnectionTest.init)
    }

    /// The tests of every connection by App ID, each list in the order of clients.
    public func all(in team: TeamID) async throws(PostgresFailure) -> [ClientID: [AppleConnectionTest]] {
        let rows = try await database.query(
            """
            SELECT app_id, client_id, key_id, apple_team_id, outcome, detail, tested_at
            FROM apple_connection_tests
            WHERE team_id = \(team)
            ORDER BY app_id, client_id
            """, in: team)
        var tests: [ClientID: [AppleConnectionTest]] = [:]
        for var row in rows {
            let appID: ClientID = try row.next()
            tests[appID, default: []].append(try AppleConnectionTest(&row))
        }
        return tests
    }

    /// Time of the last test of each connection; connections that were never tested are absent.
    public func lastTests(in team: TeamID) async throws(PostgresFailure) -> [ClientID: Timestamp] {
        let rows = try await database.query(
            """
            SELECT app_id, max(tested_at) FROM apple_connection_tests WHERE team_id = \(team) GROUP BY app_id
            """, in: team)
        var moments: [ClientID: Timestamp] = [:]
        for var row in rows {
            let appID: ClientID = try row.next()
            moments[appID] = try row.next(Timestamp.self)
        }
        return moments
    }

    /// Replaces the tests of a connection; does nothing when the connection no longer exists.
    public func replace(_ tests: [AppleConnectionTest], of appID: ClientID, in team: TeamID) async throws {
        try await database.transaction(in: team) { transaction in
            let connections = try await transaction.query(
                """
                SELECT FROM apple_connections WHERE team_id = \(team) AND app_id = \(appID) FOR NO KEY UPDATE
                """)
            guard connections.first != nil else { return }
            try await transaction.query(
                "DELETE FROM apple_connection_tests WHERE team_id = \(team) AND app_id = \(appID)")
            for test in tests {
                try await transaction.query(
                    """
                    INSERT INTO apple_connection_tests (
                        team_id, app_id, client_id, key_id, apple_team_id, outcome, detail, tested_at
                    ) VALUES (
                        \(team), \(appID), \(test.clientID), \(test.keyID), \(test.appleTeamID), \(test.outcome),
                        \(test.detail), \(test.testedAt)
                    )
                    """)
            }
        }
    }
}
