public import Bytes
public import Directory
public import Domain
public import Postgres

// The end of a sign-in to an app, for every way of authentication.
extension Interactions {
    /// A sign-in with consent: the values its authorization response is made of.
    public struct Decision: Sendable {
        let interaction: Interaction
        let app: InteractionRequest
        let user: User
        let consent: Consent
        let authenticatedAt: Timestamp
        /// The provider that authenticated the user; nil for the directory.
        var provider: ProviderID?
        let browserHash: [UInt8]
        let team: TeamSnapshot
        let origin: Origin

        public init(
            interaction: Interaction, app: InteractionRequest, user: User, consent: Consent, authenticatedAt: Timestamp,
            provider: ProviderID? = nil, browserHash: [UInt8], team: TeamSnapshot, origin: Origin
        ) {
            self.interaction = interaction
            self.app = app
            self.user = user
            self.consent = consent
            self.authenticatedAt = authenticatedAt
            self.provider = provider
            self.browserHash = browserHash
            self.team = team
            self.origin = origin
        }
    }

    /// Ends the interaction with a code for its app.
    ///
    /// - Parameters:
    ///   - statements: statements to run in the same transaction, even when the interaction has ended meanwhile.
    ///   - status: a query that must return a row; otherwise the interaction remains.
    ///   - completion: parts of a WITH clause that record the sign-in, effective when `FROM issued` returns a row; nil
    ///     for the directory's own record.
    /// - Returns: nil when the interaction has ended meanwhile, or remains.
    public func answer(
        _ decision: Decision, with statements: [SQL] = [], while status: SQL? = nil, completion: SQL? = nil
    ) async throws -> AuthorizationAnswer? {
        let (interaction, app, team) = (decision.interaction, decision.app, decision.team)
        let moment = server.clock()
        let identity = SharedIdentity(of: decision.user, under: decision.consent, asking: app.scope.scopes)
        let delivery = UserDelivery(identity)
        let deliversUser = delivery != nil && (decision.consent.deliveredAt == nil || app.testSignIn != nil)
        let issue = CodeStore.Issue(
            code: AuthorizationCode(at: moment, random: server.random), subject: decision.user.subject,
            email: identity.email.map(SharedEmail.init), deliversUser: deliversUser,
            authenticatedAt: decision.authenticatedAt, provider: decision.provider,
            expiresAt: moment + TokenLifetime.code,
            interactions: TraceID(of: interaction.id, begunAt: interaction.createdAt))
        let isIssued = try await codes.exchange(
            interaction.id, browserHash: decision.browserHash, for: issue, with: statements, while: status,
            completion: completion
                ?? UserStore.noting(signInOf: issue.subject, in: team.id, at: moment, when: "FROM issued"), in: team.id)
        guard isIssued else { return nil }
        var parameters = [("code", issue.code.text)]
        if app.responseType == .codeAndIDToken {
            parameters.append(("id_token", try await idToken(app, issue, team, at: moment)))
        }
        if deliversUser, let delivery { parameters.append(("user", delivery.json)) }
        traces.record(
            .answer(app, issue, at: moment, from: decision.origin), of: interaction, in: team.id,
            by: decision.user.subject)
        return AuthorizationAnswer(app, parameters)
    }

    /// Runs the statements of a sign-in that ends without a code.
    ///
    /// - Returns: whether the last statement returns a row.
    public func run(_ statements: [SQL], in team: TeamID) async throws(PostgresFailure) -> Bool {
        try await !codes.database.query(statements, in: team).isEmpty
    }

    /// The front-channel `id_token`, bound to its code by `c_hash`.
    private func idToken(
        _ app: InteractionRequest, _ issue: CodeStore.Issue, _ team: TeamSnapshot, at moment: Timestamp
    ) async throws -> String {
        guard let client = team.client(app.clientID) else { throw ClientGone(id: app.clientID) }
        let claims = TokenIssuer.Claims(
            client: client, subject: issue.subject, nonce: app.nonce, email: issue.email,
            authenticatedAt: issue.authenticatedAt)
        return try await TokenIssuer(team: team, server: server, database: codes.database).idToken(
            claims, boundTo: .code(issue.code.text), at: moment)
    }
}

extension Interactions.Decision {
    init(
        _ interaction: Interaction, _ app: InteractionRequest, _ user: User, _ consent: Consent, _ session: Session,
        _ browserHash: [UInt8], _ team: TeamSnapshot, _ origin: Origin
    ) {
        self.interaction = interaction
        self.app = app
        self.user = user
        self.consent = consent
        authenticatedAt = session.startedAt
        self.browserHash = browserHash
        self.team = team
        self.origin = origin
    }
}
