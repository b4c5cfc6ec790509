public import OAuth

/// Failure of a sign-in at a provider: its cause, for the team's inspector, and what the user can do about it.
public struct UpstreamFailure: Error, Equatable, Sendable {
    /// Action that may resolve a failure.
    public enum Remedy: Sendable {
        /// Retry with the same answer, of which nothing is spent.
        case again
        /// New upstream request.
        case anew
        /// None, except a change by the team.
        case none
    }

    public let cause: RefusalCause
    /// For the inspector and the log; contains no secret.
    public let reason: String
    public let remedy: Remedy
    /// Time that the provider asks to wait.
    public let retryAfter: Duration?
    /// Request to the provider and its answer, if they are the cause.
    public var exchange: UpstreamExchange?
    /// Whether the provider had been asked; false for failures of local checks.
    public internal(set) var reachedProvider = false

    public init(_ cause: RefusalCause, _ remedy: Remedy, because reason: String, retryAfter: Duration? = nil) {
        self.cause = cause
        self.reason = reason
        self.remedy = remedy
        self.retryAfter = retryAfter
    }

    /// This failure, marked as one after the provider was asked.
    var ofProvider: UpstreamFailure {
        var failure = self
        failure.reachedProvider = true
        return failure
    }

    /// The provider's identifier of the user is that of another user in the directory.
    static let subjectTaken = UpstreamFailure(
        .providerSubjectTaken, .none, because: "the provider's name for the person is that of somebody of the directory"
    )

    /// The provider account is no longer linked to the user, or the user is suspended.
    static let parted = UpstreamFailure(
        .providerParted, .anew, because: "the person has parted from the account, or was suspended, since they approved"
    )

    /// Whether the answer can be judged later: once the provider recovers, or once the team is connected again.
    var keepsAnswer: Bool { remedy == .again || cause == .providerAbsent }

    /// Whether the request certainly had no effect; after any other failure it may have had one.
    var leavesUndone: Bool {
        [.providerAbsent, .providerBusy, .providerClient, .providerRequest, .providerThrottles].contains(cause)
    }

    /// Whether the failure concerns one answer alone, so that others may succeed.
    var isOfOneAnswer: Bool { [.providerKey, .providerExpired, .providerAbsent].contains(cause) }
}
