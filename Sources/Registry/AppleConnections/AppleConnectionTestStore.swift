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

/// Result of redeeming a nonexistent authorization code at Apple as one client of a connection.
public struct AppleConnectionTest: Hashable, Sendable {
    /// Meaning of Apple's response.
    public enum Outcome: String, SQLText, CaseIterable, Sendable {
        /// `invalid_grant`: Apple accepted the client secret and the client, and rejected only the code.
        case accepted
        /// `invalid_client`: one of the values is wrong.
        case refused
        /// Another error, which proves nothing.
        case unexpected
        case throttled
        /// Apple reports an error of its own.
        case trouble
        case unreachable
    }

    /// The client at Apple: the Services ID, or a bundle ID.
    public let clientID: ClientID
    /// The key that signed the client secret.
    public let keyID: KeyID
    public let appleTeamID: AppleTeamID
    public let outcome: Outcome
    /// Apple's error, or why there is no response; contains no secret.
    public let detail: String
    public let testedAt: Timestamp

    public init(
        clientID: ClientID, keyID: KeyID, appleTeamID: AppleTeamID, outcome: Outcome, detail: String,
        testedAt: Timestamp
    ) {
        self.clientID = clientID
        self.keyID = keyID
        self.appleTeamID = appleTeamID
        self.outcome = outcome
        self.detail = detail
        self.testedAt = testedAt
    }

    /// Whether the test used the connection's present key and Apple team.
    public func concerns(_ connection: AppleConnection) -> Bool {
        keyID == connection.keyID && appleTeamID == connection.appleTeamID
    }

    init(_ row: inout Row) throws(PostgresFailure) {
        clientID = try row.next()
        keyID = try row.next()
        appleTeamID = try row.next()
        outcome = try row.next()
        detail = try row.next()
        testedAt = try row.next()
    }
}
