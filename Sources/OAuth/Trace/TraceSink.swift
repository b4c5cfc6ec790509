public import Core
public import Platform

/// Receiver of the events of sign-ins, for the team's inspector and its counts.
///
/// Its methods cost no round trip and never fail.
public protocol TraceSink: Sendable {
    /// The operators' log of refusals.
    var refusals: RefusalLog { get }
    /// The server whose sign-ins are recorded, with the clock by which events are dated.
    var server: ServerContext { get }

    /// Records the valid authorization request of an app.
    func begin(
        _ request: AuthorizationRequest, sent fields: [FormCoding.Field], as id: InteractionID, in team: TeamID,
        at moment: Timestamp, from origin: () -> Origin)

    /// Records an event of a user's sign-in to an app.
    func record(_ event: TraceEvent, of interaction: Interaction, by subject: Subject?)

    /// Records the redemption of a sign-in's code.
    func redeem(_ event: TraceEvent, of id: TraceID, in team: TeamID)

    /// Records the complete sign-in of a native app that exchanged the result of a provider's sign-in.
    func arrive(_ subject: Subject, at app: ClientID, in team: TeamID, from origin: Origin)

    /// Records a refusal that belongs to no interaction.
    ///
    /// - Parameters:
    ///   - fields: the request's parameters, of which the client and the code are recorded.
    ///   - earlier: an event before the refusal, such as a provider's response.
    ///   - event: the refusal at the given time; not called when a quota is used up.
    func refuse(
        _ fields: [FormCoding.Field], in team: TeamID, cause: RefusalCause, from origin: Origin,
        after earlier: TraceEvent?, _ event: (Timestamp) -> TraceEvent)
}

extension TraceSink {
    /// Records an event of a user's sign-in to an app.
    public func record(
        _ kind: TraceEvent.Kind, of interaction: Interaction, by subject: Subject? = nil, from origin: Origin,
        cause: RefusalCause? = nil
    ) { record(TraceEvent(kind, at: server.clock(), from: origin, cause: cause), of: interaction, by: subject) }

    /// Records a rejected authorization request.
    public func refuse(
        _ refusal: AuthorizationRefusal, of fields: [FormCoding.Field], to team: TeamSnapshot, from origin: Origin
    ) {
        refuse(fields, in: team.id, cause: refusal.cause, from: origin, after: nil) { moment in
            .refusal(refusal, of: fields, to: team, at: moment, from: origin)
        }
    }

    /// Records a refusal of an endpoint for apps, in the trace of the code it was sent with.
    public func refuse(
        _ error: OAuthError, _ kind: TraceEvent.Kind, of fields: [FormCoding.Field], to team: TeamSnapshot,
        from origin: Origin, after earlier: TraceEvent? = nil
    ) {
        refuse(fields, in: team.id, cause: error.cause, from: origin, after: earlier) { moment in
            .refusal(error, kind, of: fields, to: team, base: server.base(of: team.id), at: moment, from: origin)
        }
    }

    /// Records a request of an interaction that no longer exists, or without the cookie of its browser.
    public func refuseOver(_ cause: RefusalCause, in team: TeamID, from origin: Origin) {
        refuse([], in: team, cause: cause, from: origin, after: nil) { moment in
            TraceEvent(.interactionExpired, at: moment, from: origin, cause: cause)
        }
    }
}
