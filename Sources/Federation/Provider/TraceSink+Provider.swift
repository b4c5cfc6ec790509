public import Core
public import OAuth
public import Platform

// Failures of providers, in the inspector.
extension TraceSink {
    /// Records an unreachable provider or an invalid response of one.
    public func fail(
        _ failure: UpstreamFailure, of interaction: Interaction, in team: TeamID, from origin: Origin,
        sent: [TraceAttribute] = []
    ) { record(failure.event(at: server.clock(), from: origin, sent: sent), of: interaction, in: team, by: nil) }

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
            .providerFailed, at: moment, from: origin, cause: cause, reason: reason, sent: exchange?.sent ?? sent,
            answered: exchange?.answered ?? [])
    }
}

extension OAuthError {
    /// The error for an app whose handed-over code the provider rejected, in the provider's words.
    public init(_ failure: UpstreamFailure) {
        let isOurs = failure.cause == .providerClient || failure.cause == .providerAbsent
        self.init(
            isOurs ? .invalidClient : .invalidGrant,
            failure.cause == .providerCode ? failure.exchange?.errorDescription : nil, cause: failure.cause,
            because: failure.reason)
    }
}
