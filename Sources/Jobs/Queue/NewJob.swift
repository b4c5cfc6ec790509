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
