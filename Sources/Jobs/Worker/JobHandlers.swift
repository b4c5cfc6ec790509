import Bytes

/// The handlers of a worker, one for each kind of job.
public struct JobHandlers: Sendable {
    struct Handler: Sendable {
        let policy: JobPolicy
        let perform: @Sendable (_ payload: [UInt8], JobRun) async throws -> JobOutcome
    }

    private var handlers: [String: Handler] = [:]

    public init() {}

    /// Registers the handler of a kind of job.
    ///
    /// It may be called more than once for one job, though never concurrently: a process may die after the effect and
    /// before the receipt. Effects in the database can share the receipt's transaction (`JobRun.succeed`). A payload
    /// that cannot be decoded as the kind makes the job dead.
    public mutating func register<Kind: JobKind>(
        _ kind: Kind.Type, _ perform: @escaping @Sendable (Kind, JobRun) async throws -> JobOutcome
    ) {
        precondition(handlers[Kind.kind] == nil, "\(Kind.kind) has a handler already")
        handlers[Kind.kind] = Handler(policy: Kind.policy) { payload, run in
            let value: Kind
            do throws(JSON.Failure) { value = try JSON.decode(Kind.self, from: payload) } catch {
                return .refused("the payload cannot be read: \(error)")
            }
            return try await perform(value, run)
        }
    }

    subscript(kind: String) -> Handler? { handlers[kind] }

    var kinds: [String] { handlers.keys.sorted() }
}
