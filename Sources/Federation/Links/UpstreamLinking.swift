import Core
public import Directory
public import OAuth
public import Platform
public import Postgres

/// Linking of a provider account to the account of a signed-in user, who proves both.
///
/// Purpose, user and session of the upstream request are stored only on this server; the returning browser must have
/// that same session. The provider's verified token alone identifies the account, never an email address.
public struct UpstreamLinking: Sendable {
    private let provider: any IdentityProvider
    private let server: ServerContext
    private let upstreamRequests: UpstreamRequestStore
    private let links: UpstreamLinkStore
    private let tokens: UpstreamTokenStore
    private let orphans: OrphanedTokenStore

    public init(_ provider: any IdentityProvider, server: ServerContext, database: TeamDatabase) {
        self.provider = provider
        self.server = server
        upstreamRequests = UpstreamRequestStore(database, server: server, timeout: provider.timeout)
        links = UpstreamLinkStore(database)
        tokens = UpstreamTokenStore(server: server)
        orphans = OrphanedTokenStore(database, server: server)
    }

    /// Result of linking an account.
    public enum Outcome: Sendable {
        case connected
        case refused(UpstreamLinkStore.Obstacle)
        /// The user cancelled at the provider.
        case cancelled
        /// The browser returned with another session, or with none.
        case foreign
        case failed(UpstreamFailure)
    }

    /// Begins an upstream request that links an account.
    ///
    /// - Returns: the URL the browser is sent to; nil if users cannot sign in to the team's own pages through the
    ///   provider.
    public func begin(for session: Session, browserHash: [UInt8], in team: TeamSnapshot) async throws(PostgresFailure)
        -> String?
    {
        guard let primaryAppID = team.groupOfAccounts(at: provider.id) else { return nil }
        let upstreamRequest = upstreamRequests.upstreamRequests.begin(provider.id, for: primaryAppID, .all, in: team.id)
        guard let url = provider.authorizationURL(of: upstreamRequest, in: team) else { return nil }
        try await upstreamRequests.begin(
            upstreamRequest, to: provider.id, .link(session.user.subject, session.id), isForApp: false,
            browserHash: browserHash, in: team.id, at: server.clock())
        return url
    }
}

extension UpstreamLinking {
    /// Provider's answer, with the user and session that its account is to be linked to.
    struct Login: Sendable {
        let claimed: UpstreamRequestStore.Claimed
        /// Whether it came with the session that began the upstream request.
        let isOwn: Bool
        let link: (subject: Subject, session: SessionID)
        let team: TeamSnapshot
        let origin: Origin

        var upstreamRequest: UpstreamRequest { claimed.upstreamRequest }
        var answer: UpstreamResponse { claimed.answer }
    }

    /// Processes the provider's answer, and deletes it unless it may be tried again.
    func finish(_ login: Login, telling mailer: FactorMailer) async throws -> Outcome {
        let outcome: Outcome
        do { outcome = try await settle(login, telling: mailer) } catch let failure as UpstreamFailure {
            outcome = .failed(failure)
        } catch let obstacle as UpstreamLinkStore.Obstacle { outcome = .refused(obstacle) } catch {
            await server.log.attempt("upstream_answer.not_released", request: login.origin.requestID) {
                try await upstreamRequests.release(login.claimed, in: login.team.id)
            }
            throw error
        }
        if case .failed(let failure) = outcome, failure.remedy == .again {
            try await upstreamRequests.release(login.claimed, in: login.team.id)
        } else {
            try await upstreamRequests.end(login.upstreamRequest, in: login.team.id)
        }
        return outcome
    }

    /// Identifies the account, then checks whether it may be linked; only then redeems the code.
    private func settle(_ login: Login, telling mailer: FactorMailer) async throws -> Outcome {
        guard login.isOwn else { return .foreign }
        if let error = login.answer.error {
            if UpstreamSignIn.isCancellation(error) { return .cancelled }
            throw UpstreamSignIn.refusal(error)
        }
        guard let code = login.answer.code else { throw UpstreamSignIn.incomplete }
        let identity = try await provider.identify(
            login.answer, of: login.upstreamRequest, in: login.team, at: login.claimed.proof.answeredAt)
        let link = link(identity, login)
        if let obstacle = try await links.obstacle(to: link, in: login.team.id) { return .refused(obstacle) }
        let grant = try await orphans.proved(
            try await provider.redeem(code, of: login.upstreamRequest, in: login.team), about: identity.identifier,
            from: source(of: login))
        do {
            guard grant.identity.identifier == identity.identifier else { throw UpstreamSignIn.otherPerson }
            try await links.connect(
                link, in: login.team.id,
                ending: UpstreamRequestStore.deletion(of: login.upstreamRequest, in: login.team.id),
                with: token(grant, login).map { [$0] } ?? [], telling: mailer)
        } catch {
            // The code is spent: its token must be revoked eventually, whatever the result of the linking.
            try await orphans.keep(grant, from: source(of: login))
            throw error
        }
        return .connected
    }

    private func link(_ identity: UpstreamIdentity, _ login: Login) -> UpstreamLinkStore.Link {
        UpstreamLinkStore.Link(
            subject: login.link.subject, provider: provider.id, identity: identity,
            form: login.answer.user.flatMap(UpstreamForm.init), session: login.link.session, origin: login.origin,
            at: server.clock(), proof: login.claimed.proof)
    }

    private func source(of login: Login) -> OrphanedTokenStore.Source {
        OrphanedTokenStore.Source(
            provider: provider.id, primaryAppID: login.upstreamRequest.primaryAppID, team: login.team.id,
            moment: server.clock(), needsConsent: false)
    }

    private func token(_ grant: UpstreamGrant, _ login: Login) -> SQL? {
        UpstreamTokenStore.New(
            grant.token, from: provider.id, of: login.link.subject, as: grant.identity.identifier,
            for: login.upstreamRequest.primaryAppID, at: server.clock()
        ).map { tokens.insertion(of: $0, in: login.team.id) }
    }
}
