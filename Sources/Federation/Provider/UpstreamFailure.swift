public import Core
public import OAuth
public import Platform

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
        .upstreamSubjectTaken, .none, because: "the provider's name for the person is that of a user of the directory")

    static let registrationClosed = UpstreamFailure(
        .registrationClosed, .none, because: "the person is new, and the team's new accounts are off or by invitation")

    static let suspended = UpstreamFailure(.personSuspended, .none, because: "the person is suspended")

    /// The provider account is no longer linked to the user, or the user is suspended.
    static let unlinked = UpstreamFailure(
        .upstreamUnlinked, .anew,
        because: "the person was unlinked from the account, or was suspended, since they approved")

    /// Whether the answer can be judged later: once the provider recovers, the team is connected again, or the user is
    /// not suspended any more.
    var keepsAnswer: Bool { remedy == .again || cause == .upstreamAbsent || cause == .personSuspended }

    /// Whether the request certainly had no effect; after any other failure it may have had one.
    var leavesUndone: Bool {
        [.upstreamAbsent, .upstreamBusy, .upstreamClient, .upstreamRequest, .upstreamThrottles].contains(cause)
    }

    /// Whether the failure concerns one answer alone, so that others may succeed.
    var isOfOneAnswer: Bool { [.upstreamKey, .upstreamExpired, .upstreamAbsent, .personSuspended].contains(cause) }
}

extension UpstreamFailure: CustomStringConvertible { public var description: String { reason } }

// Failures of providers, in the inspector.
extension TraceSink {
    /// Records an unreachable provider or an invalid response of one.
    public func fail(
        _ failure: UpstreamFailure, of interaction: Interaction, from origin: Origin, sent: [TraceAttribute] = []
    ) { record(failure.event(at: server.clock(), from: origin, sent: sent), of: interaction, by: nil) }

    /// Records a provider's response to values that an app handed over, and the resulting refusal.
    public func refuse(
        _ failure: UpstreamFailure, _ kind: TraceEvent.Kind, of fields: [FormCoding.Field], to team: TeamSnapshot,
        from origin: Origin
    ) {
        let earlier = failure.exchange.map { _ in failure.event(at: server.clock(), from: origin) }
        refuse(OAuthError(failure), kind, of: fields, to: team, from: origin, after: earlier)
    }
}

extension UpstreamFailure {
    /// - Parameter sent: what was sent, if the failure has no exchange.
    fileprivate func event(at moment: Timestamp, from origin: Origin, sent: [TraceAttribute] = []) -> TraceEvent {
        TraceEvent(
            .upstreamFailed, at: moment, from: origin, cause: cause, reason: reason, sent: exchange?.sent ?? sent,
            answered: exchange?.answered ?? [])
    }
}

extension OAuthError {
    /// The error for an app whose handed-over code the provider rejected, in the provider's words.
    public init(_ failure: UpstreamFailure) {
        let isOurs = failure.cause == .upstreamClient || failure.cause == .upstreamAbsent
        self.init(
            isOurs ? .invalidClient : .invalidGrant,
            failure.cause == .wrapperApp
                ? failure.reason : failure.cause == .upstreamCode ? failure.exchange?.errorDescription : nil,
            cause: failure.cause, because: failure.reason)
    }
}

extension RefusalCause {
    /// Whether the cause is the provider's behavior or response, not the configuration in Pippin or the user's account.
    public var isProviders: Bool {
        switch self {
        case .upstreamUnreachable, .upstreamTrouble, .upstreamThrottles, .upstreamMalformed, .upstreamClient,
            .upstreamCode, .upstreamRequest, .upstreamAnswer, .upstreamRefused, .upstreamToken, .upstreamIssuer,
            .upstreamAudience, .upstreamExpired, .upstreamKey, .upstreamNonce:
            true
        default: false
        }
    }
}
