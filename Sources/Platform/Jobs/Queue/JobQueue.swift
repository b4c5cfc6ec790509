import Core
public import Crypto
import EventLoop
public import Postgres
import Synchronization

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
        SELECT \(team), \(id), \(kind), \(priority), \(payload)::jsonb, \(idempotenceKey),
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
    /// - Returns: false when a job with the same idempotence key already exists.
    @discardableResult public func enqueue(_ job: NewJob, in team: TeamID) async throws(PostgresFailure) -> Bool {
        let rows = try await database.query(job.insertion(in: team), in: team)
        bell.ring()
        return rows.changed == 1
    }

    /// Enqueues a job in the caller's transaction, which must be under the team's setting; the job runs only if that
    /// transaction commits.
    ///
    /// - Returns: false when a job with the same idempotence key already exists.
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

/// A job that has not been enqueued yet.
public struct NewJob: Sendable {
    public let id: JobID
    let kind: String
    let payload: String
    let priority: JobPolicy.Priority
    let delay: Duration
    let idempotenceKey: String?

    /// - Parameters:
    ///   - payload: content of the job; its type is the job's kind.
    ///   - id: a new one when nil; given when the payload contains it.
    ///   - delay: minimum wait before the job runs.
    ///   - idempotenceKey: the job is not enqueued while another job of its kind and team with this key is stored.
    public init<Kind: JobKind>(
        _ payload: Kind, id: JobID? = nil, after delay: Duration = .zero, once idempotenceKey: String? = nil,
        random: RandomSource = .system
    ) {
        self.id = id ?? JobID(random: random)
        kind = Kind.kind
        self.payload = payload.json
        priority = Kind.policy.priority
        self.delay = delay
        self.idempotenceKey = idempotenceKey
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

/// Reads the payload of a claimed job and ends the attempt, as the job's team and only while the claim is valid.
struct JobEndStore: Sendable {
    private let database: TeamDatabase

    init(_ database: TeamDatabase) { self.database = database }

    /// Returns the payload as JSON, or nil when the claim is no longer valid.
    func payload(of claim: JobClaim) async throws(PostgresFailure) -> [UInt8]? {
        let rows = try await database.query("SELECT payload::text FROM jobs WHERE \(claim.holds)", in: claim.team)
        guard var row = rows.first else { return nil }
        return Array(try row.next(String.self).utf8)
    }

    /// Ends the attempt; returns false when the claim is no longer valid.
    ///
    /// - Parameters:
    ///   - duration: how long the attempt took.
    ///   - spread: see `JobPolicy.delay`.
    func end(
        _ claim: JobClaim, _ outcome: JobOutcome, _ handler: JobHandlers.Handler, after duration: Duration,
        spread: Double
    ) async throws(PostgresFailure) -> Bool {
        let policy = handler.policy
        let sql: SQL
        if let interval = handler.interval {
            sql = claim.next(outcome.problem, every: interval, after: duration)
        } else if let problem = outcome.problem {
            sql =
                outcome.isDeath(at: claim.attempt, policy)
                ? claim.death(problem, policy)
                : claim.delay(outcome.delay(after: claim.attempt, policy, spread: spread), problem)
        } else if case .succeeded(let result) = outcome {
            sql = claim.success(result, policy)
        } else if case .postponed(let wait) = outcome {
            sql = claim.postponement(wait)
        } else {
            return true
        }
        return try await database.groupCommit(sql, locking: Array(claim.id.rawValue.utf8), in: claim.team).changed == 1
    }
}

extension JobClaim {
    /// The condition that the claim is still valid.
    fileprivate var holds: SQL {
        """
        team_id = \(team) AND job_id = \(id) AND state = 'pending' AND worker = \(worker)
        AND attempts = \(attempt)
        """
    }

    /// The statement that records success; it clears the payload, which a receipt does not need.
    func success(_ result: JSONValue?, _ policy: JobPolicy) -> SQL {
        let json = result.map { String(decoding: JSON.encode($0), as: UTF8.self) }
        return """
            UPDATE jobs
            SET state = 'succeeded', worker = NULL, payload = '{}', problem = NULL, result = \(json)::jsonb,
                finished_at = clock_timestamp(), keep_until = clock_timestamp() + \(policy.keepsReceipt.interval)
            WHERE \(holds)
            """
    }

    fileprivate func death(_ problem: String, _ policy: JobPolicy) -> SQL {
        """
        UPDATE jobs
        SET state = 'dead', worker = NULL, problem = \(Self.stored(problem)),
            finished_at = clock_timestamp(), keep_until = clock_timestamp() + \(policy.keepsDead.interval)
        WHERE \(holds)
        """
    }

    fileprivate func delay(_ delay: Duration, _ problem: String) -> SQL {
        """
        UPDATE jobs
        SET due_at = clock_timestamp() + \(delay.interval), worker = NULL, problem = \(Self.stored(problem))
        WHERE \(holds)
        """
    }

    /// The statement that makes a recurring job due again.
    fileprivate func next(_ problem: String?, every interval: Duration, after duration: Duration) -> SQL {
        """
        UPDATE jobs
        SET due_at = clock_timestamp() + \(max(.zero, interval - duration).interval), worker = NULL, attempts = 0,
            problem = \(problem.map(Self.stored)), ran_at = clock_timestamp(),
            ran_milliseconds = \(Int(duration / .milliseconds(1)))
        WHERE \(holds)
        """
    }

    fileprivate func postponement(_ wait: Duration) -> SQL {
        """
        UPDATE jobs SET due_at = clock_timestamp() + \(wait.interval), worker = NULL, attempts = attempts - 1
        WHERE \(holds)
        """
    }

    /// Shortens a problem and removes NUL, because a remote server's text may be long and PostgreSQL stores no NUL.
    private static func stored(_ problem: String) -> String { problem.cut(toOctets: 1000).withoutNUL }
}
