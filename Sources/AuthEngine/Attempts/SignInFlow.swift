import Bytes
import Crypto
public import Directory
public import Domain
public import Postgres

/// A sign-in from its request to the answer its app gets.
///
/// The next step is decided anew from what is stored; steps never call one another.
public struct SignInFlow: Sendable {
    let context: EngineContext
    let attempts: AttemptStore
    let progress: AttemptProgressStore
    let codes: CodeStore
    let consents: ConsentStore
    let flows: FlowRecorder
    let migration: UserMigrationStore

    public init(
        context: EngineContext,
        database: TeamDatabase,
        consents: ConsentStore,
        flows: FlowRecorder
    ) {
        self.context = context
        self.flows = flows
        attempts = AttemptStore(database: database)
        progress = AttemptProgressStore(database: database)
        codes = CodeStore(database: database)
        self.consents = consents
        migration = UserMigrationStore(database: database, context: context)
    }

    /// What a person does next.
    public enum Step: Sendable {
        /// Prove who they are.
        case signIn
        /// Prove it once more, by a second factor.
        case proof(Subject)
        /// Set up a second factor, which the team wants of everybody.
        case enrolment(Subject)
        /// Go on: every proof is given, and becomes a session.
        case enter
        /// Leave for a page of ours: nothing is left to ask.
        case leave(next: String?)
        /// Decide, for the first time with this group of apps, what it gets to know.
        case consent
        /// Confirm, as at every later time.
        case confirmation(Consent)
    }

    /// Makes the sign-in of a request that passed the checks, for `begin` to store; the team's inspector knows of it from
    /// here on.
    public func open(
        _ request: AuthorizationRequest,
        language: String? = nil,
        in team: TeamID,
        from origin: @autoclosure () -> Origin
    ) -> Attempt {
        let moment = context.clock()
        let attempt = Attempt(
            id: AttemptID(at: moment, random: context.random),
            goal: .app(AppRequest(request)),
            progress: .none,
            language: language,
            loginHint: request.loginHint,
            createdAt: moment
        )
        flows.begin(request, as: attempt.id, in: team, at: moment, from: origin)
        return attempt
    }

    /// Makes one that leads to a page of ours: `next`, or the person's own page.
    ///
    /// Whoever asks for one wants to sign in, whatever session there is.
    public func open(next: String?, language: String? = nil) -> Attempt {
        let moment = context.clock()
        return Attempt(
            id: AttemptID(at: moment, random: context.random),
            goal: .account(next: next),
            progress: AttemptProgress(identity: nil, second: nil, enteredAt: nil, setsSessionAside: true),
            language: language,
            loginHint: nil,
            createdAt: moment
        )
    }

    /// Stores a sign-in, bound to the browser behind `browserHash`.
    public func begin(
        _ attempt: Attempt,
        browserHash: [UInt8],
        in team: TeamID
    ) async throws(PostgresFailure) {
        try await attempts.insert(attempt, browserHash: browserHash, in: team)
    }

    /// The attempt of that browser, while it lasts.
    public func find(
        _ id: AttemptID,
        browserHash: [UInt8],
        in team: TeamID
    ) async throws(PostgresFailure) -> Attempt? {
        try await attempts.find(id, browserHash: browserHash, in: team, at: context.clock())
    }

    /// Decides what comes next from what is stored, for the person of `session` or for a stranger.
    public func nextStep(
        of attempt: Attempt,
        _ session: Session?,
        in team: TeamID
    ) async throws(PostgresFailure) -> Step {
        switch (attempt.progress.standing(hasSession: session != nil), session) {
        case (.owes(.proof, let identity), _): .proof(identity.subject)
        case (.owes(.enrolment, let identity), _): .enrolment(identity.subject)
        case (.owes(.nothing, _), _): .enter
        case (.proved, _): .enter
        case (.settled, let session?):
            switch attempt.goal {
            case .account(let next): .leave(next: next)
            case .app(let app): try await step(for: session.user.subject, group: app.group, in: team)
            }
        case (.stranger, _), (.settled, nil): .signIn
        }
    }

    /// The same for a person who is known, without an attempt.
    public func step(
        for subject: Subject,
        group: ClientID,
        in team: TeamID
    ) async throws(PostgresFailure) -> Step {
        guard let consent = try await consents.find(of: subject, for: group, in: team) else {
            return .consent
        }
        return .confirmation(consent)
    }

    /// Records what the person decided on the sheet and answers the app.
    ///
    /// - Returns: nil when the attempt, or the session, has ended meanwhile.
    public func consent(
        to attempt: Attempt,
        _ choice: ConsentChoice,
        of session: Session,
        browserHash: [UInt8],
        in team: TeamSnapshot,
        from origin: Origin
    ) async throws -> AuthorizationAnswer? {
        guard let app = attempt.app else { return nil }
        let right = SessionRight(session, in: team.id, clock: context.clock)
        let granted: ConsentStore.Granted
        do {
            granted = try await consents.grant(
                choice,
                of: session.user.subject,
                to: app.group,
                by: right,
                in: team.id,
                from: origin,
                at: context.clock()
            )
        } catch is SessionRight.Over {
            return nil
        }
        return try await answer(
            Decision(attempt, app, granted.user, granted.consent, session, browserHash, team, origin),
            while: right.standing
        )
    }

    /// Answers the app of a person who has consented before.
    ///
    /// - Returns: nil when the attempt, the consent or the session has ended meanwhile.
    public func confirm(
        _ attempt: Attempt,
        under consent: Consent,
        of session: Session,
        browserHash: [UInt8],
        in team: TeamSnapshot,
        from origin: Origin
    ) async throws -> AuthorizationAnswer? {
        guard let app = attempt.app else { return nil }
        return try await answer(
            Decision(attempt, app, session.user, consent, session, browserHash, team, origin),
            while: SessionRight(session, in: team.id, clock: context.clock).standing
        )
    }

    /// Tells the app that the person does not want to: the only error that ever reaches a return URL (Apple).
    ///
    /// - Returns: nil when the attempt has ended meanwhile.
    public func cancel(
        _ attempt: Attempt,
        browserHash: [UInt8],
        in team: TeamID,
        from origin: Origin
    ) async throws(PostgresFailure) -> AuthorizationAnswer? {
        guard let app = attempt.app,
            try await attempts.remove(attempt.id, browserHash: browserHash, in: team)
        else { return nil }
        flows.record(.cancelled, of: attempt, in: team, from: origin)
        return AuthorizationAnswer(app, [("error", "user_cancelled_authorize")])
    }
}

/// The client of an attempt was removed while its person signed in.
struct ClientGone: Error, Sendable {
    let id: ClientID
}

extension SharedEmail {
    init(_ email: SharedIdentity.Email) {
        self.init(address: email.address.rawValue, isVerified: email.isVerified, isPrivate: email.isPrivate)
    }
}

extension AuthorizationRequest.Scope {
    var scopes: Scopes {
        (name ? Scopes.name : []).union(email ? .email : [])
    }
}
