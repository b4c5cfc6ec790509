import Bytes
import Directory
import Domain
import Postgres

// The end of a sign-in to an app, whoever said who the person is.
extension SignInFlow {
    /// A sign-in that everybody has agreed to: all that its answer is made of.
    struct Decision: Sendable {
        let attempt: Attempt
        let app: AppRequest
        let user: User
        let consent: Consent
        let authenticatedAt: Timestamp
        /// Who said who the person is; nil for the directory.
        var provider: ProviderID?
        let browserHash: [UInt8]
        let team: TeamSnapshot
        let origin: Origin
    }

    /// Ends the attempt with a code for its app.
    ///
    /// - Parameters:
    ///   - statements: what is written in the same transaction, even when the attempt has ended meanwhile.
    ///   - standing: a statement without whose row the attempt stays.
    ///   - completion: parts of a WITH clause that note the sign-in, written where `FROM issued` yields a row; what the
    ///     directory notes when there are none.
    /// - Returns: nil when the attempt has ended meanwhile, or stays.
    func answer(
        _ decision: Decision,
        with statements: [SQL] = [],
        while standing: SQL? = nil,
        completion: SQL? = nil
    ) async throws -> AuthorizationAnswer? {
        let (attempt, app, team) = (decision.attempt, decision.app, decision.team)
        let moment = context.clock()
        let identity = SharedIdentity(of: decision.user, under: decision.consent, asking: app.scope.scopes)
        let delivery = UserDelivery(identity)
        let deliversUser =
            delivery != nil && (decision.consent.deliveredAt == nil || app.trial != nil)
        let issue = CodeStore.Issue(
            code: AuthorizationCode(at: moment, random: context.random),
            subject: decision.user.subject,
            email: identity.email.map(SharedEmail.init),
            deliversUser: deliversUser,
            authenticatedAt: decision.authenticatedAt,
            provider: decision.provider,
            expiresAt: moment + TokenLifetime.code,
            flow: FlowID(of: attempt.id, begunAt: attempt.createdAt)
        )
        let isIssued = try await codes.exchange(
            attempt.id,
            browserHash: decision.browserHash,
            for: issue,
            with: statements,
            while: standing,
            completion: completion
                ?? UserStore.noting(
                    signInOf: issue.subject,
                    in: team.id,
                    at: moment,
                    when: "FROM issued"
                ),
            in: team.id
        )
        guard isIssued else { return nil }
        var parameters = [("code", issue.code.text)]
        if app.responseType == .codeAndIDToken {
            parameters.append(("id_token", try await idToken(app, issue, team, at: moment)))
        }
        if deliversUser, let delivery { parameters.append(("user", delivery.json)) }
        flows.record(
            .answer(app, issue, at: moment, from: decision.origin),
            of: attempt,
            in: team.id,
            by: decision.user.subject
        )
        return AuthorizationAnswer(app, parameters)
    }

    /// Writes what belongs to a sign-in that ends without a code.
    ///
    /// - Returns: whether the last statement yields a row.
    func run(_ statements: [SQL], in team: TeamID) async throws(PostgresFailure) -> Bool {
        try await !codes.database.query(statements, in: team).isEmpty
    }

    /// The front-channel token, bound to its code by `c_hash`.
    private func idToken(
        _ app: AppRequest,
        _ issue: CodeStore.Issue,
        _ team: TeamSnapshot,
        at moment: Timestamp
    ) async throws -> String {
        guard let client = team.client(app.clientID) else { throw ClientGone(id: app.clientID) }
        let subject = issue.subject
        let claims = TokenIssuer.Claims(
            client: client,
            subject: subject,
            nonce: app.nonce,
            email: issue.email,
            authenticatedAt: issue.authenticatedAt,
            transferSubject: try await migration.name(of: subject, for: client.group, in: team, at: moment),
            companion: .code(issue.code.text)
        )
        return try TokenIssuer(team: team, context: context).idToken(claims, at: moment)
    }
}

extension SignInFlow.Decision {
    init(
        _ attempt: Attempt,
        _ app: AppRequest,
        _ user: User,
        _ consent: Consent,
        _ session: Session,
        _ browserHash: [UInt8],
        _ team: TeamSnapshot,
        _ origin: Origin
    ) {
        self.attempt = attempt
        self.app = app
        self.user = user
        self.consent = consent
        authenticatedAt = session.startedAt
        self.browserHash = browserHash
        self.team = team
        self.origin = origin
    }
}
