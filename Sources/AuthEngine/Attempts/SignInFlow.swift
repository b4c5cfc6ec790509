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
    let codes: CodeStore
    let consents: ConsentStore

    public init(context: EngineContext, database: TeamDatabase, consents: ConsentStore) {
        self.context = context
        attempts = AttemptStore(database: database)
        codes = CodeStore(database: database)
        self.consents = consents
    }

    /// What a person does next.
    public enum Step: Sendable {
        /// Prove who they are.
        case signIn
        /// Decide, for the first time with this group of apps, what it gets to know.
        case consent
        /// Confirm, as at every later time.
        case confirmation(Consent)
    }

    /// Stores a request that passed the checks and names it; bound to the browser behind `browserHash`.
    public func begin(
        _ request: AuthorizationRequest,
        browserHash: [UInt8],
        in team: TeamID
    ) async throws(PostgresFailure) -> AttemptID {
        let moment = context.clock()
        let id = AttemptID(at: moment, random: context.random)
        try await attempts.insert(request, id: id, browserHash: browserHash, in: team, at: moment)
        return id
    }

    /// The attempt of that browser, while it lasts.
    public func find(
        _ id: AttemptID,
        browserHash: [UInt8],
        in team: TeamID
    ) async throws(PostgresFailure) -> Attempt? {
        try await attempts.find(id, browserHash: browserHash, in: team, at: context.clock())
    }

    /// Decides what comes next for the person of `session`, or for a stranger.
    public func nextStep(
        of attempt: Attempt,
        _ session: Session?,
        in team: TeamID
    ) async throws(PostgresFailure) -> Step {
        guard let session else { return .signIn }
        return try await step(for: session.user.subject, group: attempt.group, in: team)
    }

    /// The same for a request that is not stored as an attempt yet.
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
    /// - Returns: nil when the attempt has ended meanwhile.
    public func consent(
        to attempt: Attempt,
        _ choice: ConsentChoice,
        of session: Session,
        browserHash: [UInt8],
        in team: TeamSnapshot,
        from origin: Origin
    ) async throws -> AuthorizationAnswer? {
        let granted = try await consents.grant(
            choice,
            of: session.user.subject,
            to: attempt.group,
            in: team.id,
            from: origin,
            at: context.clock()
        )
        return try await answer(attempt, granted.user, granted.consent, session, browserHash, team)
    }

    /// Answers the app of a person who has consented before.
    ///
    /// - Returns: nil when the attempt, or the consent, has ended meanwhile.
    public func confirm(
        _ attempt: Attempt,
        of session: Session,
        browserHash: [UInt8],
        in team: TeamSnapshot
    ) async throws -> AuthorizationAnswer? {
        let subject = session.user.subject
        guard let consent = try await consents.find(of: subject, for: attempt.group, in: team.id) else {
            return nil
        }
        return try await answer(attempt, session.user, consent, session, browserHash, team)
    }

    /// Tells the app that the person does not want to: the only error that ever reaches a return URL (Apple).
    ///
    /// - Returns: nil when the attempt has ended meanwhile.
    public func cancel(
        _ attempt: Attempt,
        browserHash: [UInt8],
        in team: TeamID
    ) async throws(PostgresFailure) -> AuthorizationAnswer? {
        guard try await attempts.remove(attempt.id, browserHash: browserHash, in: team) else { return nil }
        return AuthorizationAnswer(attempt, [("error", "user_cancelled_authorize")])
    }

    private func answer(
        _ attempt: Attempt,
        _ user: User,
        _ consent: Consent,
        _ session: Session,
        _ browserHash: [UInt8],
        _ team: TeamSnapshot
    ) async throws -> AuthorizationAnswer? {
        let moment = context.clock()
        let identity = SharedIdentity(of: user, under: consent, asking: attempt.scope.scopes)
        let delivery = UserDelivery(identity)
        let deliversUser = delivery != nil && (consent.deliveredAt == nil || attempt.trial != nil)
        let issue = CodeStore.Issue(
            code: AuthorizationCode(at: moment, random: context.random),
            subject: user.subject,
            email: identity.email.map(SharedEmail.init),
            deliversUser: deliversUser,
            authenticatedAt: session.startedAt,
            expiresAt: moment + TokenLifetime.code
        )
        guard try await codes.exchange(attempt.id, browserHash: browserHash, for: issue, in: team.id) else {
            return nil
        }
        var parameters = [("code", issue.code.text)]
        if attempt.responseType == .codeAndIDToken {
            parameters.append(("id_token", try idToken(attempt, issue, team, at: moment)))
        }
        if deliversUser, let delivery { parameters.append(("user", delivery.json)) }
        return AuthorizationAnswer(attempt, parameters)
    }

    /// The front-channel token, bound to its code by `c_hash`.
    private func idToken(
        _ attempt: Attempt,
        _ issue: CodeStore.Issue,
        _ team: TeamSnapshot,
        at moment: Timestamp
    ) throws -> String {
        guard let client = team.client(attempt.clientID) else { throw ClientGone(id: attempt.clientID) }
        let claims = TokenIssuer.Claims(
            client: client,
            subject: issue.subject,
            nonce: attempt.nonce,
            email: issue.email,
            authenticatedAt: issue.authenticatedAt,
            companion: .code(issue.code.text)
        )
        return try TokenIssuer(team: team, context: context).idToken(claims, at: moment)
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
