import Core

/// The handlers of a worker, one for each kind of job.
public struct JobHandlers: Sendable {
    struct Handler: Sendable {
        let policy: JobPolicy
        /// Time from one start of a recurring job to the next; nil for all others.
        var interval: Duration?
        let perform: @Sendable (_ payload: [UInt8], JobRun) async throws -> JobOutcome
    }

    private var handlers: [String: Handler] = [:]

    public init() {}

    /// Registers the handler of a kind of job.
    ///
    /// It may be called more than once for one job, though never concurrently: a process may die after the effect and
    /// before the receipt. Effects in the database can share the receipt's transaction (`JobRun.succeed`). A payload
    /// that cannot be decoded as the kind is `UnreadableJob`.
    public mutating func register<Kind: JobKind>(
        _ kind: Kind.Type, _ perform: @escaping @Sendable (Kind, JobRun) async throws -> JobOutcome
    ) {
        precondition(handlers[Kind.kind] == nil, "\(Kind.kind) has a handler already")
        handlers[Kind.kind] = Handler(policy: Kind.policy) { payload, run in
            let value: Kind
            do throws(JSON.Failure) { value = try JSON.decode(Kind.self, from: payload) } catch {
                throw UnreadableJob("the payload cannot be read: \(describing: error)")
            }
            return try await perform(value, run)
        }
    }

    /// Registers recurring work for the whole installation: a job of the system team that one process at a time runs.
    ///
    /// - Parameters:
    ///   - kind: the permanent name, such as `audit.seal`.
    ///   - interval: time from one start to the next, in whole seconds; longer when a run takes longer.
    ///   - perform: runs the work once.
    ///
    ///     It may be called again before its time when a process died during a run. The error that it throws is stored
    ///     for operators, so the description of an error of its own contains no personal data.
    public mutating func recurring(
        _ kind: String, every interval: Duration, _ perform: @escaping @Sendable () async throws -> Void
    ) {
        precondition(interval >= .seconds(1), "a recurring job is due to the second")
        precondition(handlers[kind] == nil, "\(kind) has a handler already")
        var policy = JobPolicy()
        (policy.priority, policy.timeout) = (.recurring, .seconds(86_400))
        handlers[kind] = Handler(policy: policy, interval: interval) { _, _ in
            try await perform()
            return .succeeded()
        }
    }

    subscript(kind: String) -> Handler? { handlers[kind] }

    var kinds: [String] { handlers.keys.sorted() }

    /// The kinds of jobs that do not recur, urgent ones first.
    var queued: [(kind: String, priority: JobPolicy.Priority)] {
        handlers.filter { $0.value.interval == nil }.map { ($0.key, $0.value.policy.priority) }.sorted {
            ($0.1.rawValue, $0.0) < ($1.1.rawValue, $1.0)
        }
    }

    /// The recurring jobs, each with its interval.
    var recurring: [(kind: String, interval: Duration)] {
        handlers.compactMap { kind, handler in handler.interval.map { (kind, $0) } }
    }
}
