public import Platform
public import Postgres

/// Counts the entities of a team, in one statement.
public struct TeamProgressStore: Sendable {
    /// Users are counted up to here.
    public static let userLimit = 1000

    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    public func find(_ team: TeamID) async throws(PostgresFailure) -> TeamProgress {
        let rows = try await database.query(
            """
            SELECT
                (SELECT count(*) FROM app_ids WHERE team_id = \(team)),
                (SELECT count(*) FROM service_ids WHERE team_id = \(team)),
                (SELECT count(*) FROM keys WHERE team_id = \(team)),
                EXISTS (SELECT FROM keys WHERE team_id = \(team) AND rank IS NOT NULL),
                (SELECT count(*) FROM (
                    SELECT FROM users WHERE team_id = \(team) LIMIT \(Self.userLimit + 1)
                ) AS counted),
                EXISTS (SELECT FROM return_urls WHERE team_id = \(team)),
                -- A test sign-in is one too, though no app redeems its code.
                EXISTS (SELECT FROM redeeming_clients WHERE team_id = \(team))
                    OR EXISTS (
                        SELECT FROM audit_events WHERE team_id = \(team) AND action = 'sign_in.completed'
                    )
            """, in: team)
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a team's progress") }
        return TeamProgress(
            appIDs: try row.next(), serviceIDs: try row.next(), keys: try row.next(), hasActiveKey: try row.next(),
            users: try row.next(), hasReturnURL: try row.next(), hasSignIn: try row.next())
    }
}

/// A team's progress towards a working sign-in, and the number of its entities.
public struct TeamProgress: Sendable {
    public let appIDs: Int
    public let serviceIDs: Int
    /// Includes revoked keys, as the list of keys does.
    public let keys: Int
    public let hasActiveKey: Bool
    /// Counted up to `TeamProgressStore.userLimit`; one more stands for "more than that".
    public let users: Int
    public let hasReturnURL: Bool
    /// Whether an app of the team has ever redeemed a code, or a test sign-in was completed.
    public let hasSignIn: Bool
}
