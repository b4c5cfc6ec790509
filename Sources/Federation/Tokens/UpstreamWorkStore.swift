import Core
import Platform
import Postgres

/// Finds the teams with pending work on providers' answers and tokens, one after another, so that no team delays
/// another.
struct UpstreamWorkStore: Sendable {
    /// Teams visited by one statement.
    private static let reach = 256

    private let database: SystemDatabase

    init(_ database: SystemDatabase) { self.database = database }

    /// Kind of pending work.
    enum Work: Sendable {
        /// Answers whose browser did not return.
        case settlement(UpstreamRequestStore.Due)
        /// Live tokens whose validation is due.
        case validation(at: Timestamp)
        /// Tokens whose revocation is in the outbox.
        case revocation
    }

    /// Calls `body` with each team that has such work, once around in the order of their IDs, until it returns false.
    ///
    /// - Parameter first: team after which the walk begins, and with which it ends.
    func forEachTeam(_ work: Work, after first: TeamID? = nil, _ body: (TeamID) async throws -> Bool) async throws {
        guard let first else {
            _ = try await forEachTeam(work, from: "", to: nil, body)
            return
        }
        guard try await forEachTeam(work, from: first.rawValue, to: nil, body) else { return }
        _ = try await forEachTeam(work, from: "", to: first.rawValue, body)
    }

    /// Walks from after `start` to `end`, or to the last team, and returns whether `body` wants more.
    private func forEachTeam(_ work: Work, from start: String, to end: String?, _ body: (TeamID) async throws -> Bool)
        async throws -> Bool
    {
        var position: String? = start
        while let start = position {
            let step = try await step(work, after: start)
            for team in step.teams {
                if let end, team.rawValue > end { return true }
                guard try await body(team) else { return false }
            }
            position = step.reached
        }
        return true
    }

    /// Teams of one stretch and the ID where it ended, which is nil at the last team.
    ///
    /// Each step is one lookup in the index of open rows, so a team with many of them costs no more than one with few.
    private func step(_ work: Work, after start: String) async throws(PostgresFailure) -> (
        teams: [TeamID], reached: String?
    ) {
        let rows = try await database.query(
            """
            WITH RECURSIVE walk (team_id, step) AS (
                (
                    SELECT team_id, 1 FROM \(work.table)
                    WHERE \(work.open) AND team_id > \(start)
                    ORDER BY team_id LIMIT 1
                )
                UNION ALL
                SELECT (
                    SELECT team_id FROM \(work.table)
                    WHERE \(work.open) AND team_id > walk.team_id
                    ORDER BY team_id LIMIT 1
                ), step + 1
                FROM walk WHERE walk.team_id IS NOT NULL AND step < \(Self.reach)
            )
            SELECT team_id, step, EXISTS (
                SELECT FROM \(work.table) AS open WHERE open.team_id = walk.team_id AND \(work.due)
            )
            FROM walk WHERE team_id IS NOT NULL ORDER BY team_id
            """)
        var (teams, reached): ([TeamID], String?) = ([], nil)
        for var row in rows {
            let (team, number, isWanted): (TeamID, Int, Bool) = (try row.next(), try row.next(), try row.next())
            if isWanted { teams.append(team) }
            if number == Self.reach { reached = team.rawValue }
        }
        return (teams, reached)
    }
}

extension UpstreamWorkStore.Work {
    fileprivate var table: SQL {
        switch self {
        case .settlement: "upstream_requests"
        case .validation, .revocation: "upstream_tokens"
        }
    }

    /// Spelled out, because a partial index covers that state alone.
    fileprivate var open: SQL {
        switch self {
        case .settlement: "answered_at IS NOT NULL AND settled_at IS NULL"
        case .validation: "state = 'live'"
        case .revocation: "state = 'ending'"
        }
    }

    fileprivate var due: SQL {
        switch self {
        case .settlement(let due): due.condition
        case .validation(let now): "state = 'live' AND validate_at <= \(now)"
        case .revocation: "state = 'ending'"
        }
    }
}
