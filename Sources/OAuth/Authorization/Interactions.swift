public import Core
import Crypto
public import Directory
public import Platform
public import Postgres

/// Sign-ins in progress, from the request to the response to the app.
///
/// Each step is determined anew from the stored state; steps never call one another.
public struct Interactions: Sendable {
    let server: ServerContext
    let interactions: InteractionStore
    let progress: InteractionProgressStore
    let codes: CodeStore
    let consents: ConsentStore
    public let traces: any TraceSink

    public init(server: ServerContext, database: TeamDatabase, consents: ConsentStore, traces: any TraceSink) {
        self.server = server
        self.traces = traces
        interactions = InteractionStore(database: database)
        progress = InteractionProgressStore(database: database)
        codes = CodeStore(database: database)
        self.consents = consents
    }

    /// The next step of an interaction.
    public enum Step: Sendable {
        /// Authenticate with a first factor.
        case signIn
        /// Authenticate with a second factor.
        case proof(Subject)
        /// Enrol a second factor, which the team requires of every user.
        case enrolment(Subject)
        /// Create the session: all factors are proved.
        case enter
        /// Redirect to a page of Pippin: the sign-in is complete.
        case leave(next: String?)
        /// Ask for consent at the first sign-in to this group of apps.
        case consent
        /// Ask for confirmation at a later sign-in.
        case confirmation(Consent)
    }

    /// Makes the interaction of a validated request, to be stored by `begin`, and starts its sign-in trace.
    ///
    /// - Parameter fields: all parameters as received, for the trace; none for a native sign-in.
    public func open(
        _ request: AuthorizationRequest, sent fields: [FormCoding.Field] = [], language: String? = nil, in team: TeamID,
        from origin: @autoclosure () -> Origin
    ) -> Interaction {
        let moment = server.clock()
        let interaction = Interaction(
            id: InteractionID(at: moment, random: server.random), goal: .app(request), progress: .none,
            language: language, createdAt: moment)
        traces.begin(request, sent: fields, as: interaction.id, in: team, at: moment, from: origin)
        return interaction
    }

    /// Makes an interaction for a page of Pippin: `next`, or the user's account page.
    ///
    /// It always requires authentication, even when the browser has a session.
    public func open(next: String?, language: String? = nil) -> Interaction {
        let moment = server.clock()
        return Interaction(
            id: InteractionID(at: moment, random: server.random), goal: .account(next: next),
            progress: InteractionProgress(identity: nil, second: nil, enteredAt: nil, requiresReauthentication: true),
            language: language, createdAt: moment)
    }

    /// Stores an interaction, bound to the browser with the cookie hash `browserHash`.
    public func begin(_ interaction: Interaction, browserHash: [UInt8], in team: TeamID) async throws(PostgresFailure) {
        try await interactions.insert(interaction, browserHash: browserHash, in: team)
    }

    /// Finds the unexpired interaction of that browser.
    public func find(_ id: InteractionID, browserHash: [UInt8], in team: TeamID) async throws(PostgresFailure)
        -> Interaction?
    { try await interactions.find(id, browserHash: browserHash, in: team, at: server.clock()) }

    /// Determines the next step from the stored state and the browser's session, if there is one.
    public func nextStep(of interaction: Interaction, _ session: Session?, in team: TeamID)
        async throws(PostgresFailure) -> Step
    {
        switch (interaction.progress.status(hasSession: session != nil), session) {
        case (.owes(.proof, let identity), _): .proof(identity.subject)
        case (.owes(.enrolment, let identity), _): .enrolment(identity.subject)
        case (.owes(.nothing, _), _): .enter
        case (.proved, _): .enter
        case (.settled, let session?):
            switch interaction.goal {
            case .account(let next): .leave(next: next)
            case .app(let app): try await step(for: session.user.subject, primaryAppID: app.primaryAppID, in: team)
            }
        case (.stranger, _), (.settled, nil): .signIn
        }
    }

    /// Determines the next step of an authenticated user, without an interaction.
    public func step(for subject: Subject, primaryAppID: ClientID, in team: TeamID) async throws(PostgresFailure)
        -> Step
    {
        guard let consent = try await consents.find(of: subject, for: primaryAppID, in: team) else { return .consent }
        return .confirmation(consent)
    }

    /// Stores the user's consent and makes the response to the app.
    ///
    /// - Returns: nil when the interaction or the session has ended meanwhile.
    public func consent(
        to interaction: Interaction, _ choice: ConsentChoice, of session: Session, browserHash: [UInt8],
        in team: TeamSnapshot, from origin: Origin
    ) async throws -> AuthorizationAnswer? {
        guard let app = interaction.app else { return nil }
        let right = SessionRight(session, in: team.id, clock: server.clock)
        let granted: ConsentStore.Granted
        do {
            granted = try await consents.grant(
                choice, of: session.user.subject, to: app.primaryAppID, by: right, in: team.id, from: origin,
                at: server.clock())
        } catch is SessionRight.Ended { return nil }
        return try await answer(
            interaction, for: granted.user, under: granted.consent, authenticatedAt: session.startedAt,
            browserHash: browserHash, in: team, from: origin, while: right.condition)
    }

    /// Makes the response to the app for a user who has consented before.
    ///
    /// - Returns: nil when the interaction, the consent or the session has ended meanwhile.
    public func confirm(
        _ interaction: Interaction, under consent: Consent, of session: Session, browserHash: [UInt8],
        in team: TeamSnapshot, from origin: Origin
    ) async throws -> AuthorizationAnswer? {
        try await answer(
            interaction, for: session.user, under: consent, authenticatedAt: session.startedAt,
            browserHash: browserHash, in: team, from: origin,
            while: SessionRight(session, in: team.id, clock: server.clock).condition)
    }

    /// Makes the response for a user who cancels: the only error ever sent to a return URL (Apple).
    ///
    /// - Returns: nil when the interaction has ended meanwhile.
    public func cancel(_ interaction: Interaction, browserHash: [UInt8], in team: TeamID, from origin: Origin)
        async throws(PostgresFailure) -> AuthorizationAnswer?
    {
        guard let app = interaction.app,
            try await interactions.remove(interaction.id, browserHash: browserHash, in: team)
        else { return nil }
        traces.record(.cancelled, of: interaction, in: team, from: origin)
        return AuthorizationAnswer(app, [("error", "user_cancelled_authorize")])
    }
}

/// The failure of a sign-in whose client was deleted in the meantime.
struct ClientGone: Error, Sendable { let id: ClientID }

extension SharedEmail {
    public init(_ email: SharedIdentity.Email) {
        self.init(address: email.address.rawValue, isVerified: email.isVerified, isPrivate: email.isPrivate)
    }
}
