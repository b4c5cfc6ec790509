public import Core
public import Directory
public import Platform
public import Postgres

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
        by provider: ProviderID? = nil, browserHash: [UInt8], in team: TeamSnapshot, from origin: Origin,
        with statements: [SQL] = [], while status: SQL? = nil, completion: SQL? = nil
    ) async throws -> AuthorizationAnswer? {
        guard let app = interaction.app else { return nil }
        let moment = server.clock()
        let identity = SharedIdentity(of: user, under: consent, asking: app.scope.scopes)
        let delivery = UserDelivery(identity)
        let deliversUser = delivery != nil && (consent.deliveredAt == nil || app.testSignIn != nil)
        let issue = CodeStore.Issue(
            code: AuthorizationCode(at: moment, random: server.random), subject: user.subject,
            email: identity.email.map(SharedEmail.init), deliversUser: deliversUser, authenticatedAt: authenticatedAt,
            provider: provider, expiresAt: moment + TokenLifetime.code,
            interactions: TraceID(of: interaction.id, begunAt: interaction.createdAt))
        let isIssued = try await codes.exchange(
            interaction.id, browserHash: browserHash, for: issue, with: statements, while: status,
            completion: completion
                ?? UserStore.noting(signInOf: issue.subject, in: team.id, at: moment, when: "FROM issued"), in: team.id)
        guard isIssued else { return nil }
        var parameters = [("code", issue.code.text)]
        if app.responseType == .codeAndIDToken {
            parameters.append(("id_token", try await idToken(app, issue, team, at: moment)))
        }
        if deliversUser, let delivery { parameters.append(("user", delivery.json)) }
        traces.record(.answer(app, issue, at: moment, from: origin), of: interaction, in: team.id, by: user.subject)
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
