/// Why a sign-in at a provider did not work, for the team's inspector, and what the person can do about it.
public struct ProviderFailure: Error, Equatable, Sendable {
    /// What helps.
    public enum Remedy: Sendable {
        /// The same answer once more: nothing of it is spent.
        case again
        /// Another trip to the provider.
        case anew
        /// Nothing but a change by the team.
        case none
    }

    public let cause: RefusalCause
    /// For the inspector and the log; holds no secret.
    public let reason: String
    public let remedy: Remedy
    /// How long the provider asks us to wait.
    public let retryAfter: Duration?
    /// What was asked of the provider and what it answered, where that is the matter.
    public var exchange: ProviderExchange?
    /// Whether the provider was asked about what came, or it failed here.
    public internal(set) var reachedProvider = false

    public init(
        _ cause: RefusalCause,
        _ remedy: Remedy,
        because reason: String,
        retryAfter: Duration? = nil
    ) {
        self.cause = cause
        self.reason = reason
        self.remedy = remedy
        self.retryAfter = retryAfter
    }

    /// The same of something that the provider was asked about.
    var ofProvider: ProviderFailure {
        var failure = self
        failure.reachedProvider = true
        return failure
    }

    /// The provider's name for somebody is another person's here.
    static let subjectTaken = ProviderFailure(
        .providerSubjectTaken,
        .none,
        because: "the provider's name for the person is that of somebody of the directory"
    )

    /// The account at the provider leads to the person no more, or they may not come in.
    static let parted = ProviderFailure(
        .providerParted,
        .anew,
        because: "the person has parted from the account, or was suspended, since they approved"
    )

    /// Whether the answer can still be judged later: at the provider's better time, or once the team is connected again.
    var keepsAnswer: Bool { remedy == .again || cause == .providerAbsent }

    /// Whether what was asked for is certainly not done; after any other failure it may be.
    var leavesUndone: Bool {
        [.providerAbsent, .providerBusy, .providerClient, .providerRequest, .providerThrottles].contains(
            cause
        )
    }

    /// Whether it is about one answer alone, so that others may fare better.
    var isOfOneAnswer: Bool { [.providerKey, .providerExpired, .providerAbsent].contains(cause) }
}
