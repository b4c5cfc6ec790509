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
        let sealer = server.keyRing.sealer(purpose: "secrets of interactions")
        interactions = InteractionStore(database: database, sealer: sealer)
        progress = InteractionProgressStore(database: database, sealer: sealer)
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
        case enter(Subject)
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
        _ request: AuthorizationRequest, sent fields: [FormCoding.Field] = [], language: String? = nil,
        browserHash: [UInt8], in team: TeamID, from origin: @autoclosure () -> Origin
    ) -> Interaction {
        let moment = server.clock()
        let interaction = Interaction(
            team: team, browserHash: browserHash, id: InteractionID(at: moment, random: server.random),
            goal: .app(request), progress: .none, language: language, createdAt: moment)
        traces.begin(request, sent: fields, as: interaction.id, in: team, at: moment, from: origin)
        return interaction
    }

    /// Makes an interaction for a page of Pippin: `next`, or the user's account page.
    ///
    /// It always requires authentication, even when the browser has a session.
    public func open(next: String?, language: String? = nil, browserHash: [UInt8], in team: TeamID) -> Interaction {
        let moment = server.clock()
        return Interaction(
            team: team, browserHash: browserHash, id: InteractionID(at: moment, random: server.random),
            goal: .account(next: next),
            progress: InteractionProgress(identity: nil, second: nil, enteredAt: nil, requiresReauthentication: true),
            language: language, createdAt: moment)
    }

    /// Stores an interaction.
    public func begin(_ interaction: Interaction) async throws(PostgresFailure) {
        try await interactions.insert(interaction)
    }

    /// The statement that stores an interaction, for a caller's transaction.
    public func insertion(of interaction: Interaction) -> SQL { interactions.insertion(of: interaction) }

    /// Finds the unexpired interaction of that browser.
    public func find(_ id: InteractionID, browserHash: [UInt8], in team: TeamID) async throws(PostgresFailure)
        -> Interaction?
    { try await interactions.find(id, browserHash: browserHash, in: team, at: server.clock()) }

    /// Whether an interaction has ended or expired meanwhile.
    public func isOver(_ interaction: Interaction) async throws(PostgresFailure) -> Bool {
        try await find(interaction.id, browserHash: interaction.browserHash, in: interaction.team) == nil
    }

    /// Determines the next step from the stored state and the browser's session, if there is one.
    public func nextStep(of interaction: Interaction, _ session: Session?) async throws(PostgresFailure) -> Step {
        switch (interaction.progress.status(hasSession: session != nil), session) {
        case (.owes(.proof, let identity), _): .proof(identity.subject)
        case (.owes(.enrolment, let identity), _): .enrolment(identity.subject)
        case (.owes(.nothing, let identity), _), (.proved(let identity), _): .enter(identity.subject)
        case (.settled, let session?):
            switch interaction.goal {
            case .account(let next): .leave(next: next)
            case .app(let app):
                try await step(for: session.user.subject, primaryAppID: app.primaryAppID, in: interaction.team)
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
        to interaction: Interaction, _ choice: ConsentChoice, of session: Session, in team: TeamSnapshot,
        from origin: Origin
    ) async throws -> AuthorizationResponse? {
        guard let app = interaction.app else { return nil }
        let right = SessionRight(session, in: team.id, clock: server.clock)
        let granted: ConsentStore.Granted
        do {
            granted = try await consents.grant(
                choice, of: session.user.subject, to: app.primaryAppID, by: right, in: team.id, from: origin,
                at: server.clock())
        } catch is SessionRight.Ended { return nil }
        return try await answer(
            interaction, for: granted.user, under: granted.consent, authenticatedAt: session.startedAt, in: team,
            from: origin, while: right.condition)
    }

    /// Makes the response to the app for a user who has consented before.
    ///
    /// - Returns: nil when the interaction, the consent or the session has ended meanwhile.
    public func confirm(
        _ interaction: Interaction, under consent: Consent, of session: Session, in team: TeamSnapshot,
        from origin: Origin
    ) async throws -> AuthorizationResponse? {
        try await answer(
            interaction, for: session.user, under: consent, authenticatedAt: session.startedAt, in: team, from: origin,
            while: SessionRight(session, in: team.id, clock: server.clock).condition)
    }

    /// Makes the response for a user who cancels: the only error ever sent to a return URL (Apple).
    ///
    /// - Returns: nil when the interaction has ended meanwhile.
    public func cancel(_ interaction: Interaction, from origin: Origin) async throws(PostgresFailure)
        -> AuthorizationResponse?
    {
        guard let app = interaction.app, try await interactions.remove(interaction) else { return nil }
        traces.record(.cancelled, of: interaction, from: origin)
        return AuthorizationResponse(app, [("error", "user_cancelled_authorize")])
    }
}

/// The failure of a sign-in whose client was deleted in the meantime.
struct ClientGone: Error, Sendable { let id: ClientID }

// The end of a sign-in to an app, for every way of authentication.
extension Interactions {
    /// Ends the interaction with a code for its app.
    ///
    /// - Parameters:
    ///   - provider: the provider that authenticated the user; nil for the directory.
    ///   - statements: statements to run in the same transaction, even when the interaction has ended meanwhile.
    ///   - status: a query that must return a row; otherwise the interaction remains.
    ///   - completion: parts of a WITH clause that record the sign-in, effective when `FROM issued` returns a row; nil
    ///     for the directory's own record.
    /// - Returns: nil when the interaction has ended meanwhile, or remains.
    public func answer(
        _ interaction: Interaction, for user: User, under consent: Consent, authenticatedAt: Timestamp,
        by provider: ProviderID? = nil, in team: TeamSnapshot, from origin: Origin, with statements: [SQL] = [],
        while status: SQL? = nil, completion: SQL? = nil
    ) async throws -> AuthorizationResponse? {
        guard let app = interaction.app else { return nil }
        let moment = server.clock()
        try team.requireSigningKey(at: moment)
        let identity = SharedIdentity(of: user, under: consent, asking: app.scope)
        let delivery = UserDelivery(identity)
        let deliversUser = delivery != nil && (consent.deliveredAt == nil || app.testSignIn != nil)
        let issue = CodeStore.Issue(
            code: AuthorizationCode(at: moment, random: server.random), subject: user.subject,
            email: identity.email.map(SharedEmail.init), deliversUser: deliversUser, authenticatedAt: authenticatedAt,
            provider: provider, expiresAt: moment + TokenLifetime.code,
            trace: TraceID(of: interaction.id, begunAt: interaction.createdAt))
        let isIssued = try await codes.exchange(
            interaction, for: issue, with: statements, while: status,
            completion: completion
                ?? UserStore.noting(signInOf: issue.subject, in: team.id, at: moment, when: "FROM issued"))
        guard isIssued else { return nil }
        var parameters = [("code", issue.code.text)]
        if app.responseType == .codeAndIDToken {
            parameters.append(("id_token", try await idToken(app, issue, team, at: moment)))
        }
        if deliversUser, let delivery { parameters.append(("user", delivery.json)) }
        traces.record(.answer(app, issue, at: moment, from: origin), of: interaction, by: user.subject)
        return AuthorizationResponse(app, parameters)
    }

    /// Runs the statements of a sign-in that ends without a code.
    ///
    /// - Returns: whether the last statement returns a row.
    public func run(_ statements: [SQL], in team: TeamID) async throws(PostgresFailure) -> Bool {
        try await !codes.database.query(statements, in: team).isEmpty
    }

    /// The front-channel `id_token`, bound to its code by `c_hash`.
    private func idToken(
        _ app: AuthorizationRequest, _ issue: CodeStore.Issue, _ team: TeamSnapshot, at moment: Timestamp
    ) async throws -> String {
        guard let client = team.client(app.clientID) else { throw ClientGone(id: app.clientID) }
        let claims = TokenIssuer.Claims(
            client: client, subject: issue.subject, nonce: app.nonce, email: issue.email,
            authenticatedAt: issue.authenticatedAt)
        return try await TokenIssuer(team: team, server: server, database: codes.database).idToken(
            claims, boundTo: .code(issue.code.text), at: moment)
    }
}

// The proofs of a user during an interaction. The caller creates the session, from the proofs that `enter` hands over.
extension Interactions {
    /// Stores the first proof of a user, and the second factor still required.
    ///
    /// - Parameter user: the user as read when the proof was checked.
    /// - Returns: the interaction as it is now; nil when it has ended, or the user's credentials have changed since.
    public func prove(
        _ user: User, by method: ProofMethod, login: String, owing due: SecondFactorDue, in interaction: Interaction
    ) async throws(PostgresFailure) -> Interaction? {
        let identity = InteractionProgress.Identity(
            subject: user.subject, login: login, proof: Proof(method, at: server.clock()), due: due)
        let proved = try await progress.noteFirst(
            identity, under: user.credentialsVersion, in: interaction, at: identity.proof.at)
        if let proved { note(identity.proof, of: user.subject, in: proved) }
        return proved
    }

    /// Stores the second proof of the user who gave the first.
    ///
    /// - Returns: the interaction as it is now; nil when it has ended, belongs to another user meanwhile, or the user's
    ///   credentials have changed since the first proof.
    public func proveAgain(_ subject: Subject, by method: ProofMethod, in interaction: Interaction)
        async throws(PostgresFailure) -> Interaction?
    {
        let proof = Proof(method, at: server.clock())
        let proved = try await progress.noteSecond(proof, of: subject, in: interaction, at: proof.at)
        if let proved { note(proof, of: subject, in: proved) }
        return proved
    }

    /// The right to enrol the factor that the interaction requires.
    public func enrolmentRight(of subject: Subject, in interaction: Interaction) -> EnrolmentRight {
        EnrolmentRight(
            whileFound: InteractionProgressStore.owingEnrolment(of: subject, in: interaction, at: server.clock()))
    }

    /// Exchanges the proofs of an interaction for a session.
    ///
    /// - Parameter begin: takes the proofs and creates the session in one transaction; nil when there are none to take.
    /// - Returns: nil when another request was first, or a factor is missing; an interaction whose user has unlinked
    ///   the account at the provider is then deleted.
    public func enter<Session>(
        _ interaction: Interaction, beginning begin: (SessionStore.Proofs) async throws -> Session?
    ) async throws -> Session? {
        let proofs = SessionStore.Proofs(
            takenBy: InteractionProgressStore.taking(proofsOf: interaction, at: server.clock()))
        if let session = try await begin(proofs) { return session }
        try await progress.endUnlinked(interaction)
        return nil
    }

    /// Lets the user sign in to another account than that of the browser's session.
    public func requireReauthentication(in interaction: Interaction) async throws(PostgresFailure) {
        try await progress.requireReauthentication(in: interaction, at: server.clock())
    }

    private func note(_ proof: Proof, of subject: Subject, in interaction: Interaction) {
        let fact = TraceAttribute("proof", proof.method.rawValue)
        let step = TraceEvent(.proved, at: proof.at, from: .local, sent: [fact])
        traces.record(step, of: interaction, by: subject)
    }
}
