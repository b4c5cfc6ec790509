import Core
import Postgres

/// A job claimed by a worker until its lease ends.
///
/// The number of the attempt is part of the claim: an attempt that lost the job cannot end it, not even when the same
/// worker has claimed it again.
public struct JobClaim: Sendable {
    public let team: TeamID
    public let id: JobID
    public let kind: String
    /// Number of this attempt; the first is 1.
    public let attempt: Int
    /// Time since the job was enqueued.
    let age: Duration
    let worker: WorkerID

    struct Key: Hashable {
        let team: TeamID
        let id: JobID
    }

    var key: Key { Key(team: team, id: id) }
}

/// Claims jobs of all teams for a worker, team by team, and renews or releases the claims.
///
/// Times are PostgreSQL's, so that the clocks of the processes may differ.
struct JobClaimStore: Sendable {
    /// Maximum number of teams that one statement examines.
    private static let teams = 256
    /// Maximum number of jobs claimed of one team before the next team's turn.
    static let turn = 8

    /// The claims of one statement, and the team after which the next statement begins.
    struct Taken {
        var claims: [JobClaim] = []
        /// The last team examined, or nil when there are no more teams.
        var reached: String?
    }

    private let database: SystemDatabase
    private let worker: WorkerID
    private let lease: Duration

    init(_ database: SystemDatabase, worker: WorkerID, lease: Duration) {
        self.database = database
        self.worker = worker
        self.lease = lease
    }

    /// Claims up to `limit` due jobs of teams after `team`, a few of each.
    ///
    /// Each step of the walk is one lookup in the index of pending jobs, so a team with 100,000 jobs costs no more than
    /// a team with one. Jobs of other kinds are left to processes that have handlers for them. No team gets more than
    /// half of `limit` at once.
    ///
    /// - Parameter sated: teams that get no jobs from this call.
    func claim(
        _ priority: JobPolicy.Priority, of kinds: [String], after team: String, except sated: [TeamID], limit: Int
    ) async throws(PostgresFailure) -> Taken {
        let turn = max(1, min(Self.turn, limit / 2))
        let rows = try await database.query(
            """
            WITH RECURSIVE walk (team_id, step) AS (
                (
                    SELECT team_id, 1 FROM jobs
                    WHERE state = 'pending' AND priority = \(priority) AND team_id > \(team)
                    ORDER BY team_id LIMIT 1
                )
                UNION ALL
                SELECT (
                    SELECT j.team_id FROM jobs j
                    WHERE j.state = 'pending' AND j.priority = \(priority) AND j.team_id > walk.team_id
                    ORDER BY j.team_id LIMIT 1
                ), step + 1
                FROM walk WHERE walk.team_id IS NOT NULL AND step < \(Self.teams)
            ), picked AS MATERIALIZED (
                SELECT due.team_id, due.job_id
                FROM walk CROSS JOIN LATERAL (
                    SELECT j.team_id, j.job_id FROM jobs j
                    WHERE j.state = 'pending' AND j.priority = \(priority) AND j.team_id = walk.team_id
                        AND j.due_at <= now() AND j.kind = ANY (\(kinds))
                    ORDER BY j.due_at LIMIT \(turn) FOR UPDATE SKIP LOCKED
                ) AS due
                WHERE walk.team_id <> ALL (\(sated.map(\.rawValue)))
                LIMIT \(limit)
            ), claimed AS (
                UPDATE jobs j
                SET attempts = j.attempts + 1, worker = \(worker), due_at = now() + \(lease.interval)
                FROM picked WHERE j.team_id = picked.team_id AND j.job_id = picked.job_id
                RETURNING j.team_id, j.job_id, j.kind, j.attempts, j.created_at
            )
            SELECT (SELECT CASE WHEN count(team_id) = \(Self.teams) THEN max(team_id) END FROM walk),
                claimed.team_id, claimed.job_id, claimed.kind, claimed.attempts,
                extract(epoch FROM now() - claimed.created_at)::bigint
            FROM (VALUES (1)) AS one (row) LEFT JOIN claimed ON true
            """)
        return try read(rows, limit: limit)
    }

    private func read(_ rows: Rows, limit: Int) throws(PostgresFailure) -> Taken {
        var taken = Taken()
        for var row in rows {
            taken.reached = try row.next()
            guard let team = try row.next(TeamID?.self) else { break }
            taken.claims.append(
                JobClaim(
                    team: team, id: try row.next(), kind: try row.next(), attempt: try row.next(),
                    age: .seconds(try row.next(Int.self)), worker: worker))
        }
        // The limit ended the claim early, and teams after the last one with a claim have had no turn.
        if taken.claims.count == limit { taken.reached = taken.claims.map(\.team.rawValue).max() }
        return taken
    }

    /// Renews the leases of jobs that are running.
    ///
    /// - Returns: the jobs that this worker still holds.
    func renew(_ claims: [JobClaim]) async throws(PostgresFailure) -> Set<JobClaim.Key> {
        let rows = try await database.query(
            """
            UPDATE jobs j SET due_at = now() + \(lease.interval)
            FROM unnest(\(claims.map(\.team.rawValue)), \(claims.map(\.id.rawValue))) AS mine (team_id, job_id)
            WHERE j.team_id = mine.team_id AND j.job_id = mine.job_id
                AND j.state = 'pending' AND j.worker = \(worker)
            RETURNING j.team_id, j.job_id
            """)
        var kept: Set<JobClaim.Key> = []
        for var row in rows { kept.insert(JobClaim.Key(team: try row.next(), id: try row.next())) }
        return kept
    }

    /// Releases unfinished jobs, so that other workers can claim them at once; the attempt does not count.
    func release(_ claims: [JobClaim]) async throws(PostgresFailure) {
        try await database.query(
            """
            UPDATE jobs j SET due_at = now(), worker = NULL, attempts = attempts - 1
            FROM unnest(\(claims.map(\.team.rawValue)), \(claims.map(\.id.rawValue))) AS mine (team_id, job_id)
            WHERE j.team_id = mine.team_id AND j.job_id = mine.job_id
                AND j.state = 'pending' AND j.worker = \(worker)
            """)
    }
}

extension Duration {
    /// The duration as a PostgreSQL `interval`.
    var interval: SQL { "\(Int(microseconds)) * interval '1 microsecond'" }
}
