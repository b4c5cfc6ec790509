public import Core
import Crypto
public import Postgres

/// State of a recurring job, for operators.
public struct RecurringJob: Sendable {
    public let kind: String
    public let interval: Duration
    public let dueAt: Timestamp
    /// The worker that runs it now, or nil.
    public let worker: WorkerID?
    /// When the last run ended.
    public let ranAt: Timestamp?
    /// Duration of the last run.
    public let milliseconds: Int?
    /// Why the last run failed, or nil when it succeeded.
    public let problem: String?
}

extension RecurringJob {
    fileprivate init(_ row: inout Row) throws(PostgresFailure) {
        kind = try row.next()
        interval = .seconds(try row.next(Int.self))
        dueAt = try row.next()
        worker = try row.next()
        ranAt = try row.next()
        milliseconds = try row.next()
        problem = try row.next()
    }
}

/// Stores the recurring jobs, which are rows of the system team in the queue.
public struct RecurringJobStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Returns every recurring job that a process has ever declared, by kind.
    public func list() async throws(PostgresFailure) -> [RecurringJob] {
        let rows = try await database.query(
            """
            SELECT kind, every_seconds, due_at, worker, ran_at, ran_milliseconds, problem
            FROM jobs
            WHERE team_id = \(TeamID.system) AND state = 'pending' AND priority = \(JobPolicy.Priority.recurring)
            ORDER BY kind
            """, in: .system)
        return try rows.all(RecurringJob.init)
    }

    /// Stores a recurring job, or its new interval; a shorter interval than before takes effect at once.
    func declare(_ kind: String, every interval: Duration) async throws(PostgresFailure) {
        let seconds = Int(interval.components.seconds)
        try await database.query(
            """
            INSERT INTO jobs AS known (team_id, job_id, kind, priority, payload, idempotency_key, every_seconds, due_at)
            VALUES (
                \(TeamID.system), \(JobID(random: .system)), \(kind), \(JobPolicy.Priority.recurring), '{}', \(kind),
                \(seconds), now()
            )
            ON CONFLICT (team_id, kind, idempotency_key) WHERE idempotency_key IS NOT NULL DO UPDATE
            SET every_seconds = excluded.every_seconds,
                due_at = LEAST(known.due_at, now() + excluded.every_seconds * interval '1 second')
            WHERE known.every_seconds <> excluded.every_seconds
            """, in: .system)
    }
}
