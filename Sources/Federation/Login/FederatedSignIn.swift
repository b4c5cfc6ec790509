import Core
public import Directory
public import OAuth
public import Platform
public import Postgres
import Registry

/// Sign-ins through a provider, from the app's authorization request to the app's answer.
///
/// The order is essential: the provider's answer is stored before anything else; the user it identifies is stored
/// before its code is redeemed; only then does the app get a code. A crash between any two of these loses nothing.
public struct FederatedSignIn: Sendable {
    let provider: any IdentityProvider
    let interactions: Interactions
    let server: ServerContext
    let upstreamRequests: UpstreamRequestStore
    private let linking: FederatedLinking
    let people: FederatedIdentityStore
    let tokens: UpstreamTokenStore
    let orphans: OrphanedTokenStore

    public init(
        _ provider: any IdentityProvider, interactions: Interactions, server: ServerContext, database: TeamDatabase
    ) {
        self.provider = provider
        self.interactions = interactions
        self.server = server
        upstreamRequests = UpstreamRequestStore(database, server: server, timeout: provider.timeout)
        linking = FederatedLinking(provider, server: server, database: database)
        people = FederatedIdentityStore(database)
        tokens = UpstreamTokenStore(server: server)
        orphans = OrphanedTokenStore(database, server: server)
    }

    /// Result of a sign-in through a provider.
    public enum Outcome: Sendable {
        /// The answer for the app.
        case answered(AuthorizationAnswer)
        /// The interaction continues at its own address: authenticated, or cancelled at the provider.
        case redirectToInteraction(InteractionID)
        case failed(UpstreamFailure, InteractionID)
        /// The upstream request was to link an account, not to sign in.
        case linking(FederatedLinking.Outcome)
        /// Another request is processing the answer.
        case busy
        /// The upstream request is unknown or over, or a browser returned that did not begin it.
        case expired
    }

    /// Stores an interaction and begins its upstream request, in one transaction.
    ///
    /// - Returns: the URL the browser is sent to; nil, with nothing stored, if the app's group is not registered there.
    public func begin(_ interaction: Interaction, browserHash: [UInt8], in team: TeamSnapshot, from origin: Origin)
        async throws(PostgresFailure) -> String?
    {
        let insertion = InteractionStore.insertion(of: interaction, browserHash: browserHash, in: team.id)
        return try await beginUpstreamRequest(
            of: interaction, storing: [insertion], browserHash: browserHash, in: team, from: origin)
    }

    /// Begins an upstream request of an interaction in progress.
    ///
    /// - Returns: the URL the browser is sent to; nil if the app's group is not registered there.
    public func beginUpstreamRequest(
        of interaction: Interaction, browserHash: [UInt8], in team: TeamSnapshot, from origin: Origin
    ) async throws(PostgresFailure) -> String? {
        try await beginUpstreamRequest(of: interaction, storing: [], browserHash: browserHash, in: team, from: origin)
    }

    private func beginUpstreamRequest(
        of interaction: Interaction, storing statements: [SQL], browserHash: [UInt8], in team: TeamSnapshot,
        from origin: Origin
    ) async throws(PostgresFailure) -> String? {
        guard let primaryAppID = interaction.app?.primaryAppID ?? team.groupOfAccounts(at: provider.id) else {
            return nil
        }
        let scope = interaction.app?.scope ?? AuthorizationRequest.Scope(name: true, email: true)
        let upstreamRequest = upstreamRequests.upstreamRequests.begin(
            provider.id, for: primaryAppID, scope, in: team.id)
        guard let url = provider.authorizationURL(of: upstreamRequest, in: team) else { return nil }
        try await upstreamRequests.begin(
            upstreamRequest, to: provider.id, .signIn(interaction.id), isForApp: interaction.app != nil,
            browserHash: browserHash, with: statements, in: team.id, at: server.clock())
        let step = TraceEvent(.sentToProvider, at: server.clock(), from: origin, sent: Self.facts(ofURL: url))
        interactions.traces.record(step, of: interaction, in: team.id, by: nil)
        return url
    }

    /// Stores the answer that a provider posted.
    ///
    /// The browser that delivers it is not identified, because a POST from another site carries none of this server's
    /// cookies.
    ///
    /// - Returns: the values for the URL where that browser continues, and whether the answer was stored, which it is
    ///   not if its upstream request is unknown or has an answer already.
    /// - Throws: `OAuthError` if `state` is missing or the answer is too long, `PostgresFailure` if it could not be
    ///   stored.
    public func receive(_ parameters: ProtocolParameters, in team: TeamID) async throws -> (
        back: UpstreamReturn, isKept: Bool
    ) {
        let back = UpstreamReturn(
            state: try parameters.required("state"), receipt: ReturnReceipt(random: server.random))
        let answer = UpstreamResponse(parameters)
        guard answer.octets <= UpstreamResponse.mostOctets else {
            throw OAuthError(.invalidRequest, cause: .parameterTooLong, because: "the answer is too long")
        }
        let isKept = try await upstreamRequests.keep(answer, for: back, in: team, at: server.clock())
        return (back, isKept)
    }

    /// Processes the provider's stored answer for the browser that began the upstream request and returned from it.
    ///
    /// - Parameters:
    ///   - session: the browser's session; an account is linked only in the session that requested it.
    ///   - mailer: notifies the user of a linked account.
    public func finish(
        _ back: UpstreamReturn, browserHash: [UInt8], session: Session?, in team: TeamSnapshot, from origin: Origin,
        telling mailer: FactorMailer
    ) async throws -> Outcome {
        let moment = server.clock()
        let claimed = try await upstreamRequests.claim(
            back, of: provider.id, browserHash: browserHash, in: team.id, at: moment)
        guard let claimed else {
            let hash = browserHash
            return try await upstreamRequests.isAtWork(back, browserHash: hash, in: team.id, at: moment)
                ? .busy : .expired
        }
        let id: InteractionID
        switch claimed.purpose {
        case .signIn(let interaction): id = interaction
        case .link(let subject, let owner):
            let login = FederatedLinking.Login(
                claimed: claimed, isOwn: session?.user.subject == subject && session?.id == owner,
                link: (subject, owner), team: team, origin: origin)
            return .linking(try await linking.finish(login, telling: mailer))
        }
        guard let interaction = try await interactions.find(id, browserHash: browserHash, in: team.id),
            team.admits(interaction)
        else {
            try await upstreamRequests.release(claimed, in: team.id)
            return .expired
        }
        let login = Login(
            claimed: claimed, interaction: interaction, browserHash: browserHash, team: team, origin: origin)
        do { return try await finish(login) } catch let failure as UpstreamFailure {
            return try await fail(failure, login)
        } catch {
            await server.log.attempt("provider_answer.not_released", request: origin.requestID) {
                try await upstreamRequests.release(claimed, in: team.id)
            }
            throw error
        }
    }
}

extension FederatedSignIn {
    /// Answer with the context in which it is processed.
    struct Login: Sendable {
        let claimed: UpstreamRequestStore.Claimed
        let interaction: Interaction
        let browserHash: [UInt8]
        let team: TeamSnapshot
        let origin: Origin

        var upstreamRequest: UpstreamRequest { claimed.upstreamRequest }
        var answer: UpstreamResponse { claimed.answer }
    }

    private func finish(_ login: Login) async throws -> Outcome {
        if let error = login.answer.error { return try await refused(error, login) }
        guard let code = login.answer.code else { throw Self.incomplete }
        let identity = try await provider.identify(
            login.answer, of: login.upstreamRequest, in: login.team, at: login.claimed.answeredAt)
        let known = try await record(identity, login)
        guard known.user.suspendedAt == nil else {
            throw UpstreamFailure(.personSuspended, .none, because: "the person is suspended")
        }
        let grant = try await orphans.proved(
            try await provider.redeem(code, of: login.upstreamRequest, in: login.team), about: identity.identifier,
            from: source(of: login))
        guard grant.identity.identifier == identity.identifier else {
            try await orphans.keep(grant, from: source(of: login))
            throw Self.otherPerson
        }
        return try await answer(login, known, grant)
    }

    /// Stores the user and the data that came with the sign-in, durably, before the code is redeemed.
    private func record(_ identity: ProviderIdentity, _ login: Login) async throws -> FederatedIdentityStore.Known {
        let (claimed, team) = (login.claimed, login.team.id)
        let person = ProviderLogin(
            identity, from: provider.id, form: login.answer.user.flatMap(ProviderForm.init),
            primaryAppID: login.interaction.app?.primaryAppID, asking: login.upstreamRequest.scope.scopes,
            origin: login.origin, at: server.clock(),
            provedBy: FederatedUnlinks.Proof(
                answeredAt: claimed.answeredAt, arrivedAt: claimed.arrivedAt, for: login.upstreamRequest.primaryAppID))
        guard let known = try await people.record(person, in: team) else {
            let hasParted = try await people.hasParted(person, in: team)
            throw hasParted ? UpstreamFailure.parted : .subjectTaken
        }
        let step = TraceEvent(
            .proved, at: claimed.answeredAt, from: login.origin,
            sent: [TraceAttribute("proof", provider.id.rawValue)] + Self.facts(of: login.answer))
        interactions.traces.record(step, of: login.interaction, in: team, by: known.user.subject)
        return known
    }
}
