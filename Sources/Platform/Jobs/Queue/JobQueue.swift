import Core
public import Crypto
import EventLoop
public import Postgres
import Synchronization

/// Enqueues jobs and wakes the worker of this process.
public struct JobQueue: Sendable {
    private let database: TeamDatabase
    private let bell: JobSignal

    public init(_ database: TeamDatabase, bell: JobSignal) {
        self.database = database
        self.bell = bell
    }

    /// Enqueues a job; it is committed when this returns.
    ///
    /// - Returns: false when a job with the same idempotency key already exists.
    @discardableResult public func enqueue(_ job: NewJob, in team: TeamID) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(job.insertion(in: team), in: team)
        bell.ring()
        return rows.changed == 1
    }

    /// Enqueues a job in the caller's transaction, which must be under the team's setting; the job runs only if that
    /// transaction commits.
    ///
    /// - Returns: false when a job with the same idempotency key already exists.
    @discardableResult public func enqueue(_ job: NewJob, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Bool
    {
        let rows = try await transaction.query(job.insertion(in: team))
        bell.ring()
        return rows.changed == 1
    }

    /// Wakes the worker after the caller's own statement enqueued jobs.
    public func ring() { bell.ring() }
}

// Enqueueing.
extension NewJob {
    /// The statement that enqueues the job.
    ///
    /// Run it in the transaction of the change, or splice it into the one statement that makes the change:
    /// `WITH changed AS (…), job AS (\(job.insertion(in: team))) SELECT …`. Call `JobQueue.ring` afterwards.
    /// - Parameter condition: a FROM or WHERE clause; the job is enqueued when it returns a row.
    public func insertion(in team: TeamID, when condition: SQL = "") -> SQL {
        """
        INSERT INTO jobs (team_id, job_id, kind, priority, payload, idempotency_key, due_at)
        SELECT \(team), \(id), \(kind), \(priority), \(payload)::jsonb, \(idempotencyKey),
            clock_timestamp() + \(Int(delay.microseconds)) * interval '1 microsecond'
        \(condition)
        ON CONFLICT DO NOTHING
        """
    }
}

extension NewJob {
    /// The statement that cancels waiting jobs that no worker has claimed; RETURNING may be appended.
    ///
    /// - Parameter jobs: a query with one column, the ids of the jobs.
    public static func cancellation(in team: TeamID, of jobs: SQL) -> SQL {
        """
        UPDATE jobs
        SET state = 'cancelled', payload = '{}', finished_at = clock_timestamp(),
            keep_until = clock_timestamp() + interval '1 day'
        WHERE team_id = \(team) AND job_id IN (\(jobs)) AND state = 'pending' AND worker IS NULL
        """
    }
}

extension JobKind {
    /// The statement that enqueues a job of this kind for each row of a query.
    ///
    /// - Parameter payloads: a query with one column, the payloads as `jsonb`.
    public static func insertion(in team: TeamID, for payloads: SQL) -> SQL {
        """
        INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
        SELECT \(team), pippin_job_id(), \(kind), \(policy.priority), payload, clock_timestamp()
        FROM (\(payloads)) AS wanted (payload)
        """
    }

    /// A query for the jobs of this kind that wait or run; it has no columns, and more conditions may be appended.
    public static func pending(in team: TeamID) -> SQL { pending(in: "\(team)") }

    /// A query for the jobs of this kind that wait or run in the team that an SQL expression names.
    public static func pending(in team: SQL) -> SQL {
        """
        SELECT FROM jobs
        WHERE state = 'pending' AND priority = \(policy.priority) AND team_id = \(team) AND kind = \(kind)
        """
    }
}

/// A job that has not been enqueued yet.
public struct NewJob: Sendable {
    public let id: JobID
    let kind: String
    let payload: String
    let priority: JobPolicy.Priority
    let delay: Duration
    let idempotencyKey: String?

    /// - Parameters:
    ///   - payload: content of the job; its type is the job's kind.
    ///   - id: a new one when nil; given when the payload contains it.
    ///   - delay: minimum wait before the job runs.
    ///   - idempotencyKey: the job is not enqueued while another job of its kind and team with this key is stored.
    public init<Kind: JobKind>(
        _ payload: Kind, id: JobID? = nil, after delay: Duration = .zero, once idempotencyKey: String? = nil,
        random: RandomSource = .system
    ) {
        self.id = id ?? JobID(random: random)
        kind = Kind.kind
        self.payload = payload.json
        priority = Kind.policy.priority
        self.delay = delay
        self.idempotencyKey = idempotencyKey
    }
}

/// Signals from any loop to the worker of this process that there may be jobs to run.
public final class JobSignal: Sendable {
    private let listener = Mutex<(@Sendable () -> Void)?>(nil)

    public init() {}

    /// Wakes the worker; may be called before the transaction commits, because the worker polls several times.
    public func ring() { listener.withLock { $0 }?() }

    func connect(_ loop: EventLoop, to wake: @escaping @Sendable () -> Void) {
        listener.withLock { $0 = { loop.execute(wake) } }
    }

    func disconnect() { listener.withLock { $0 = nil } }
}
