public import Core
import Crypto
public import Postgres

/// A kind of job, which is the type of its payload.
///
/// The payload is stored as JSON and read by the version of Pippin that runs the job, so members added later are
/// optional. It contains ids, addresses and texts, and of secrets only those that the job itself must deliver.
public protocol JobKind: Codable, Sendable {
    /// The permanent name of the kind, such as `mail.message`.
    static var kind: String { get }

    /// Attempts, delays and retention of jobs of this kind.
    static var policy: JobPolicy { get }
}

extension JobKind {
    public static var policy: JobPolicy { JobPolicy() }

    /// The payload as stored.
    var json: String { String(decoding: JSON.encode(self), as: UTF8.self) }
}

/// The id of a job and of its receipt.
///
/// It cannot be guessed, because a client that knows it may read the state of the job.
public typealias JobID = RandomID<JobSummary>

/// Attempts, delays, timeout and retention of a kind of job.
public struct JobPolicy: Sendable {
    /// Order of jobs inside a team; teams take turns independently of it.
    public enum Priority: Int, Sendable, CaseIterable {
        /// A user waits for it, as for an email with a link.
        case urgent
        case normal
        /// Recurring work of the installation, which has places of its own.
        case recurring
    }

    public var priority = Priority.normal
    /// Number of attempts before the job is dead.
    ///
    /// With the delays below, the last attempt comes about two and a half days after the first.
    public var attempts = 20
    /// The wait after the first failed attempt; doubled after each further one.
    public var firstDelay = Duration.seconds(10)
    public var longestDelay = Duration.seconds(6 * 3600)
    /// Duration of an attempt after which its task is cancelled.
    public var timeout = Duration.seconds(300)
    /// How long a job that succeeded is kept as its own receipt.
    public var keepsReceipt = Duration.seconds(86_400)
    /// How long a dead job is kept for operators.
    public var keepsDead = Duration.seconds(30 * 86_400)

    public init() {}

    /// The wait after the given number of failed attempts, at least one.
    ///
    /// - Parameter spread: from 0 up to 1; spreads the waits between half of the delay and the whole of it, so that
    ///   jobs that failed together are not retried together.
    func delay(after attempts: Int, spread: Double) -> Duration {
        let doublings = min(max(attempts, 1) - 1, 40)
        let whole = min(firstDelay * (1 << doublings), longestDelay)
        return whole * (0.5 + spread / 2)
    }
}

extension JobPolicy.Priority: SQLBindable {
    public static var sqlType: UInt32 { Int.sqlType }

    public func encode(into bytes: inout [UInt8]) -> Bool { rawValue.encode(into: &bytes) }
}

/// Result of one attempt at a job.
public enum JobOutcome: Sendable {
    /// The job is done.
    ///
    /// - Parameter result: stored in the receipt; no secrets.
    case succeeded(_ result: JSONValue? = nil)
    /// The job is done, and the handler has recorded that in its own transaction (`JobRun.succeed`).
    case ended
    /// The attempt failed; the policy defines when to try again and when the job is dead.
    ///
    /// An error that a handler throws counts as this case. The problem is shown to operators and logged, so it contains
    /// no address and no secret.
    case failed(_ problem: String)
    /// The attempt failed, and the remote server specified when to retry.
    ///
    /// Counts as an attempt.
    case retry(after: Duration, _ problem: String)
    /// The job was not tried and is due again after the duration.
    ///
    /// Does not count as an attempt.
    case postponed(Duration)
    /// The job can never succeed and is dead at once.
    case refused(_ problem: String)
}

extension JobOutcome {
    var problem: String? {
        switch self {
        case .succeeded, .ended, .postponed: nil
        case .failed(let problem), .retry(_, let problem), .refused(let problem): problem
        }
    }

    /// Whether the job is dead after that attempt.
    func isDeath(at attempt: Int, _ policy: JobPolicy) -> Bool {
        switch self {
        case .succeeded, .ended, .postponed: false
        case .refused: true
        case .failed, .retry: attempt >= policy.attempts
        }
    }

    /// The wait before the next attempt; a wait that a remote server asks for is limited to four times `longestDelay`.
    func delay(after attempt: Int, _ policy: JobPolicy, spread: Double) -> Duration {
        if case .retry(let asked, _) = self { return max(.zero, min(asked, policy.longestDelay * 4)) }
        return policy.delay(after: attempt, spread: spread)
    }
}

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
