public import Crypto
public import Domain

/// A job that has not been enqueued yet.
public struct NewJob: Sendable {
    public let id: JobID
    let kind: String
    let payload: String
    let priority: JobPolicy.Priority
    let delay: Duration
    let idempotenceKey: String?

    /// - Parameters:
    ///   - payload: what the job carries; its type is the job's kind.
    ///   - id: a new one, unless the payload had to know it.
    ///   - delay: how long it must wait at least.
    ///   - idempotenceKey: a job with the key of another one of its kind and team is not enqueued, as long as that
    ///     one is kept.
    public init<Kind: JobKind>(
        _ payload: Kind,
        id: JobID? = nil,
        after delay: Duration = .zero,
        once idempotenceKey: String? = nil,
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
