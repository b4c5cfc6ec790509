import Core
public import Directory
public import OAuth
public import Platform
public import Postgres

/// Sign-ins through a provider, from the app's authorization request to the app's answer.
///
/// The order is essential: the provider's answer is stored before anything else; the user it identifies is stored
/// before its code is redeemed; only then does the app get a code. A crash between any two of these loses nothing.
public struct UpstreamSignIn: Sendable {
    let provider: any IdentityProvider
    let interactions: Interactions
    let server: ServerContext
    let upstreamRequests: UpstreamRequestStore
    private let linking: UpstreamLinking
    let people: UpstreamIdentityStore
    let tokens: UpstreamTokenStore
    let orphans: OrphanedTokenStore

    public init(
        _ provider: any IdentityProvider, interactions: Interactions, server: ServerContext, database: TeamDatabase
    ) {
        self.provider = provider
        self.interactions = interactions
        self.server = server
        upstreamRequests = UpstreamRequestStore(database, server: server, timeout: provider.timeout)
        linking = UpstreamLinking(provider, server: server, database: database)
        people = UpstreamIdentityStore(database)
        tokens = UpstreamTokenStore(server: server)
        orphans = OrphanedTokenStore(database, server: server)
    }

    /// Result of a sign-in through a provider.
    public enum Outcome: Sendable {
        /// The answer for the app.
        case answered(AuthorizationResponse)
        /// The interaction continues at its own address: authenticated, or cancelled at the provider.
        case redirectToInteraction(InteractionID)
        case failed(UpstreamFailure, InteractionID)
        /// The upstream request was to link an account, not to sign in.
        case linking(UpstreamLinking.Outcome)
        /// Another request is processing the answer.
        case busy
        /// The upstream request is unknown or over, or a browser returned that did not begin it.
        case expired
    }

    /// Stores an interaction and begins its upstream request, in one transaction.
    ///
    /// - Returns: the URL the browser is sent to; nil, with nothing stored, if the app's group is not registered there.
    public func begin(_ interaction: Interaction, in team: TeamSnapshot, from origin: Origin)
        async throws(PostgresFailure) -> String?
    {
        try await beginUpstreamRequest(
            of: interaction, storing: [interactions.insertion(of: interaction)], in: team, from: origin)
    }

    /// Begins an upstream request of an interaction in progress.
    ///
    /// - Returns: the URL the browser is sent to; nil if the app's group is not registered there.
    public func beginUpstreamRequest(of interaction: Interaction, in team: TeamSnapshot, from origin: Origin)
        async throws(PostgresFailure) -> String?
    { try await beginUpstreamRequest(of: interaction, storing: [], in: team, from: origin) }

    private func beginUpstreamRequest(
        of interaction: Interaction, storing statements: [SQL], in team: TeamSnapshot, from origin: Origin
    ) async throws(PostgresFailure) -> String? {
        guard let primaryAppID = interaction.app?.primaryAppID ?? team.groupOfAccounts(at: provider.id) else {
            return nil
        }
        let scope = interaction.app?.scope ?? .all
        let upstreamRequest = upstreamRequests.upstreamRequests.begin(
            provider.id, for: primaryAppID, scope, in: team.id)
        guard let url = provider.authorizationURL(of: upstreamRequest, in: team) else { return nil }
        try await upstreamRequests.begin(
            upstreamRequest, to: provider.id, .signIn(interaction.id), isForApp: interaction.app != nil,
            browserHash: interaction.browserHash, with: statements, in: team.id, at: server.clock())
        let step = TraceEvent(.sentToProvider, at: server.clock(), from: origin, sent: Self.facts(ofURL: url))
        interactions.traces.record(step, of: interaction, by: nil)
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
            let login = UpstreamLinking.Login(
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
        let login = Login(claimed: claimed, interaction: interaction, team: team, origin: origin)
        do { return try await finish(login) } catch let failure as UpstreamFailure {
            return try await fail(failure, login)
        } catch {
            await server.log.attempt("upstream_answer.not_released", request: origin.requestID) {
                try await upstreamRequests.release(claimed, in: team.id)
            }
            throw error
        }
    }
}

extension UpstreamSignIn {
    /// Answer with the context in which it is processed.
    struct Login: Sendable {
        let claimed: UpstreamRequestStore.Claimed
        let interaction: Interaction
        let team: TeamSnapshot
        let origin: Origin

        var upstreamRequest: UpstreamRequest { claimed.upstreamRequest }
        var answer: UpstreamResponse { claimed.answer }
    }

    private func finish(_ login: Login) async throws -> Outcome {
        if let error = login.answer.error { return try await refused(error, login) }
        guard let code = login.answer.code else { throw Self.incomplete }
        let identity = try await provider.identify(
            login.answer, of: login.upstreamRequest, in: login.team, at: login.claimed.proof.answeredAt)
        let known = try await record(identity, login)
        if login.interaction.app != nil {
            try await people.count(signInOf: known.user.subject, in: login.team.id, at: server.clock())
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
    private func record(_ identity: UpstreamIdentity, _ login: Login) async throws -> UpstreamIdentityStore.Known {
        let (claimed, team) = (login.claimed, login.team.id)
        let person = UpstreamLogin(
            identity, from: provider.id, form: login.answer.user.flatMap(UpstreamForm.init),
            primaryAppID: login.interaction.app?.primaryAppID, asking: login.upstreamRequest.scope,
            origin: login.origin, at: server.clock(), provedBy: claimed.proof)
        let known = try await people.record(person, in: team)
        let step = TraceEvent(
            .proved, at: claimed.proof.answeredAt, from: login.origin,
            sent: [TraceAttribute("proof", provider.id.rawValue)] + Self.facts(of: login.answer))
        interactions.traces.record(step, of: login.interaction, by: known.user.subject)
        return known
    }
}

// Completion of a sign-in after the provider's token has been verified.
extension UpstreamSignIn {
    /// Answers the app, or stores the proof of a sign-in to the team's own pages, while the provider account is still
    /// linked.
    func answer(_ login: Login, _ known: UpstreamIdentityStore.Known, _ grant: UpstreamGrant) async throws -> Outcome {
        guard let app = login.interaction.app, let consent = known.consent else {
            return try await prove(login, known.user, grant)
        }
        let status = status(of: known.user, grant, login)
        let answer = try await interactions.answer(
            login.interaction, for: known.user, under: consent, authenticatedAt: grant.identity.authenticatedAt,
            by: provider.id, in: login.team, from: login.origin, with: settlement(login, known.user, grant, status),
            while: status.row(in: login.team.id), completion: completion(login, known.user, app))
        if let answer { return .answered(answer) }
        try await orphans.keep(grant, from: source(of: login))
        guard try await interactions.isOver(login.interaction) else { throw UpstreamFailure.unlinked }
        return .expired
    }

    /// Stores the proof of a sign-in to the team's own pages; the interaction turns it into a session, like any other
    /// proof.
    private func prove(_ login: Login, _ user: User, _ grant: UpstreamGrant) async throws -> Outcome {
        let status = status(of: user, grant, login)
        let team = login.team.id
        let statements = [status.lock(in: team)] + settlement(login, user, grant, status) + [status.row(in: team)]
        guard try await interactions.run(statements, in: team) else {
            try await orphans.keep(grant, from: source(of: login))
            throw UpstreamFailure.unlinked
        }
        let proved = try await interactions.prove(
            user, by: .provider(provider.id), login: "", owing: .nothing, in: login.interaction)
        return proved.map { .redirectToInteraction($0.id) } ?? .expired
    }

    func source(of login: Login) -> OrphanedTokenStore.Source {
        OrphanedTokenStore.Source(
            provider: provider.id, primaryAppID: login.upstreamRequest.primaryAppID, team: login.team.id,
            moment: server.clock(), needsConsent: login.interaction.app != nil)
    }

    /// Condition for the final writes, including the consent to the app's group if there is an app.
    ///
    /// A consent that ends while the code is redeemed therefore ends the sign-in, too.
    private func status(of user: User, _ grant: UpstreamGrant, _ login: Login) -> UpstreamLinkStatus {
        UpstreamLinkStatus(
            of: user.subject, at: provider.id, as: grant.identity.identifier,
            consentingTo: login.interaction.app?.primaryAppID)
    }

    private func completion(_ login: Login, _ user: User, _ app: AuthorizationRequest) -> SQL {
        people.completion(
            of: user.subject, by: provider.id, to: app.clientID, in: login.team.id, from: login.origin,
            at: server.clock(), when: "FROM issued")
    }

    /// Statements written with the app's code once the user is locked: the provider's token, and the upstream request's
    /// end.
    private func settlement(_ login: Login, _ user: User, _ grant: UpstreamGrant, _ status: UpstreamLinkStatus) -> [SQL]
    {
        let team = login.team.id
        let frame = [UpstreamRequestStore.deletion(of: login.upstreamRequest, in: team)]
        let token = UpstreamTokenStore.New(
            grant.token, from: provider.id, of: user.subject, as: grant.identity.identifier,
            for: login.upstreamRequest.primaryAppID, at: server.clock())
        guard let token else { return frame }
        let condition: SQL = "WHERE EXISTS (\(status.row(in: team)))"
        return frame + [tokens.insertion(of: token, in: team, when: condition)]
    }
}

// Errors and failures.
extension UpstreamSignIn {
    /// Handles the provider's error: a cancellation by the user is reported to the app, any other error is thrown.
    func refused(_ error: String, _ login: Login) async throws -> Outcome {
        guard Self.isCancellation(error) else { throw Self.refusal(error) }
        try await upstreamRequests.end(login.upstreamRequest, in: login.team.id)
        let answer = try await interactions.cancel(login.interaction, from: login.origin)
        return answer.map { .answered($0) } ?? .redirectToInteraction(login.interaction.id)
    }

    static func isCancellation(_ error: String) -> Bool {
        error == "user_cancelled_authorize" || error == "access_denied"
    }

    static func refusal(_ error: String) -> UpstreamFailure {
        UpstreamFailure(
            .upstreamRefused, .none, because: "the provider answered the browser with \(Redaction.code(error))")
    }

    static var incomplete: UpstreamFailure {
        UpstreamFailure(.upstreamAnswer, .anew, because: "the answer has neither a code nor an error")
    }

    static var otherPerson: UpstreamFailure {
        UpstreamFailure(.upstreamToken, .anew, because: "the code is about another person")
    }

    /// Records a failure for the inspector; releases an answer that may be tried again, otherwise ends the upstream
    /// request.
    func fail(_ failure: UpstreamFailure, _ login: Login) async throws -> Outcome {
        if failure.keepsAnswer {
            try await upstreamRequests.release(login.claimed, in: login.team.id)
        } else {
            try await upstreamRequests.end(login.upstreamRequest, in: login.team.id)
        }
        let sent = Self.facts(of: login.answer)
        interactions.traces.fail(failure, of: login.interaction, from: login.origin, sent: sent)
        return .failed(failure, login.interaction.id)
    }

    /// Parameters that the browser carries to the provider.
    static func facts(ofURL url: String) -> [TraceAttribute] {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return TraceEvent.facts(of: (try? FormCoding.decode(query, maximumFields: 24)) ?? [])
    }

    static func facts(of answer: UpstreamResponse) -> [TraceAttribute] {
        let parts = [("code", answer.code), ("id_token", answer.idToken), ("user", answer.user)]
        return parts.compactMap { name, value in value.map { TraceAttribute(name, lengthOf: $0) } }
            + (answer.error.map { [TraceAttribute("error", code: $0)] } ?? [])
    }
}
