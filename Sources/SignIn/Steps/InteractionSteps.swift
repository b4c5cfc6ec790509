import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import Registry

/// What the steps of a sign-in share: the interaction of a request, its proofs, and the way on.
struct InteractionSteps: Sendable {
    let pages: HostedPages
    let factors: SecondFactors
    let visits: Visits
    let interactions: Interactions
    let traces: any TraceSink
    let sessionIssuer: SessionIssuer
    let alert: NewBrowserAlert
    let database: TeamDatabase
    let server: ServerContext

    var site: Site { pages.site }

    /// Handler that runs `body` for an interaction, if the request is from the browser that began it: the address alone
    /// gives no access.
    func step(_ body: @escaping @Sendable (InteractionContext) async throws -> Response)
        -> @Sendable (Request, TeamID, InteractionID) async throws -> Response
    {
        { request, teamID, id in
            let visit = try await visits.read(request, at: teamID)
            guard !visit.isNewBrowser,
                let interaction = try await interactions.find(id, browserHash: visit.browserHash, in: teamID),
                visit.team.admits(interaction)
            else { return refuse(visit) }
            return try await body(InteractionContext(visit: visit, interaction: interaction))
        }
    }

    /// Handler that runs `body` for an interaction; throws `UserFacingError.notFound` if the team has no directory.
    func directoryStep(_ body: @escaping @Sendable (InteractionContext) async throws -> Response)
        -> @Sendable (Request, TeamID, InteractionID) async throws -> Response
    {
        step { context in
            guard context.team.hasDirectory else { throw UserFacingError.notFound }
            return try await body(context)
        }
    }

    /// Counts a request that stores something without a session; throws `TooManyRequests`.
    func admit(_ request: Request, _ team: TeamID) async throws {
        let use = RateLimit.Use(.unauthenticatedWrites, by: .network(request.client.description))
        try await database.count([use], in: team, at: server.clock())
    }

    /// Page for the request of an interaction that the browser does not have.
    func refuse(_ visit: Visit) -> Response {
        let cause: RefusalCause = visit.isNewBrowser ? .cookieMissing : .interactionExpired
        traces.refuseOver(cause, in: visit.team.id, from: visit.origin)
        return pages.respond(problem(of: visit), to: visit.request, of: visit.team)
    }

    /// The error of such a request, by what was seen of it; at another address no cookie can have come along.
    private func problem(of visit: Visit) -> UserFacingError {
        do throws(UserFacingError) {
            if visit.request.method == .post { try site.checkOrigin(of: visit.request) }
        } catch { return error }
        if visit.isNewBrowser { return .noCookie(at: site.publicURL, .gone) }
        var problem = UserFacingError.interactionExpired
        if visit.team.id == .system || site.restart(of: visit.request) != nil {
            problem.advice = Message("hosted.problems.interaction-over.anew").localizedText
        }
        return problem
    }

    /// A form of a page of the interaction.
    ///
    /// - Parameter leadsBack: whether the page has a link back to the interaction.
    func form(
        _ title: Message, to route: Route<TeamID, InteractionID>, of context: InteractionContext,
        leadsBack: Bool = false
    ) -> HostedForm {
        let (team, interaction) = (context.team.id, context.interaction.id)
        return HostedForm(
            frame: pages.frame(title, of: context.team, in: context.language), action: route.link(team, interaction),
            token: site.formTokens.token(for: context.visit.browser),
            backURL: leadsBack ? TeamRoutes.interaction.link(team, interaction) : nil,
            restart: site.restart(context.interaction))
    }

    /// Fields of a form that was served to this browser.
    func form(of context: InteractionContext) throws(UserFacingError) -> Form {
        try site.form(of: context.request, from: context.visit.browser)
    }
}

// Mails to the user of an interaction.
extension InteractionSteps {
    /// Confirms that a mail was requested; shows only in sandbox teams that the server sends none.
    func mailSent(to email: String, _ context: InteractionContext) -> MessagePage {
        .mailSent(
            to: email, isKept: context.team.isSandbox && !server.sendsMail,
            pages.frame(Message("hosted.mail.sent-title"), of: context.team, in: context.language),
            next: (TeamRoutes.interaction.link(context.team.id, context.interaction.id), Message("hosted.mail.back")))
    }
}

extension TeamSnapshot {
    /// - Throws: `UserFacingError.notFound` unless everybody may register.
    func requireOpenRegistration() throws(UserFacingError) { guard registration == .open else { throw .notFound } }
}

// From a proof to a session. Steps never call one another; each ends with a redirect to the interaction, or with the
// answer to the app.
extension InteractionSteps {
    /// Stores a user's first proof, by any method, and the second factor that is due in addition.
    ///
    /// - Parameter factors: the user's factors, if they were read with the user. One that is added meanwhile is asked
    ///   for by `FactorGate.admits`, at the first use of the session.
    func keepFirstProof(
        of user: User, by method: ProofMethod, login: String, having enrolled: EnrolledFactors? = nil,
        _ context: InteractionContext
    ) async throws -> Response {
        let due = try await factors.gate.due(
            of: user.subject, having: enrolled, provedBy: [method], in: context.team.id, context.team.secondFactor)
        let proved = try await interactions.prove(
            user, by: method, login: login, owing: SecondFactorDue(due), in: context.interaction)
        return try await advance(to: proved, of: user, context)
    }

    /// Response of a step that has stored a proof: a redirect to the dispatcher, with a session if no further proof is
    /// due.
    ///
    /// - Parameter interaction: the interaction with the proof; nil if it was not stored.
    func advance(to interaction: Interaction?, of user: User, _ context: InteractionContext) async throws -> Response {
        guard let interaction else { throw UserFacingError.interactionExpired }
        guard case .proved = interaction.progress.status(hasSession: false) else {
            return redirectToInteraction(context)
        }
        return try await enter(InteractionContext(visit: context.visit, interaction: interaction), as: user)
    }

    /// Redirects to the dispatcher.
    func redirectToInteraction(_ context: InteractionContext) -> Response {
        .redirect(to: TeamRoutes.interaction.link(context.team.id, context.interaction.id))
    }

    /// Creates a session from the proofs of the user, with a new session token.
    ///
    /// - Parameter user: the user as read before; the session begins only if the credentials are still the same.
    func enter(_ context: InteractionContext, as user: User) async throws -> Response {
        let progress = context.interaction.progress
        var response = redirectToInteraction(context)
        guard let identity = progress.identity else { return response }
        let isKnown = sessionIssuer.knownBrowser(identity.login, context.visit)?(user) != nil
        let cookies = try await interactions.enter(context.interaction) { proofs in
            try await sessionIssuer.enter(
                identity, second: progress.second, as: user, to: context.client?.id, taking: proofs, context.visit)
        }
        guard let cookies else { return response }
        for cookie in cookies { response.set(cookie) }
        if !isKnown { try await alert.send(to: user, context.visit, in: context.language) }
        return response
    }

    func cancel(_ context: InteractionContext) async throws -> Response {
        let answer = try await interactions.cancel(context.interaction, from: context.visit.origin)
        return try exit(with: answer, context)
    }

    /// Delivers the answer to the app; if the interaction or consent has ended, redirects to the dispatcher instead.
    func exit(with answer: AuthorizationResponse?, _ context: InteractionContext) throws -> Response {
        guard let answer, let client = context.client else { return redirectToInteraction(context) }
        return try pages.exit(with: answer, appName: client.name, of: context.team, in: context.language)
    }
}

// The first page of a sign-in.
extension InteractionSteps {
    func signInPage(_ context: InteractionContext) -> SignInPage {
        let (team, interaction, title) = (context.team, context.interaction.id, context.signInTitle)
        return SignInPage(
            frame: pages.frame(title, of: team, in: context.language), title: title.localizedText,
            action: TeamRoutes.password.link(team.id, interaction),
            formToken: site.formTokens.token(for: context.visit.browser), restart: site.restart(context.interaction),
            email: context.interaction.app?.loginHint ?? "", passkey: passkeyForm(context),
            isCancellable: context.client != nil, recoveryURL: TeamRoutes.recovery.link(team.id, interaction),
            appleURL: context.offersApple ? TeamRoutes.apple.link(team.id, interaction) : nil,
            registrationURL: team.registration == .open ? TeamRoutes.registration.link(team.id, interaction) : nil)
    }

    /// Passkey button beside the password; nil if the team uses no second factors or the server cannot use passkeys.
    func passkeyForm(_ context: InteractionContext) -> PasskeyFormView? {
        guard let passkeys = factors.passkeys, context.team.secondFactor != .off else { return nil }
        let options = RequestOptions(
            party: passkeys.party,
            challenge: passkeys.challenges.make(
                .signIn, browser: context.visit.browser, in: context.team.id, at: server.clock()), allowed: [],
            requiresUserVerification: true)
        return PasskeyFormView(
            kind: .get, action: TeamRoutes.interactionPasskey.link(context.team.id, context.interaction.id),
            formToken: site.formTokens.token(for: context.visit.browser), restart: site.restart(context.interaction),
            options: options.json, label: Message("hosted.factors.passkey.sign-in").localizedText, isConditional: true,
            isQuiet: true)
    }
}

extension InteractionContext {
    /// Whether the app is registered at Apple; for a page of this server, whether any app of the team is.
    fileprivate var offersApple: Bool { team.offersApple(to: client?.primaryAppID) }

    fileprivate var signInTitle: Message {
        if let client { return Message("hosted.sign-in.to-app", ["app": client.name]) }
        return team.id == .system ? Message("hosted.sign-in.to-console") : Message("hosted.sign-in.to-account")
    }
}

/// Visit within a sign-in, by the browser that began it.
struct InteractionContext: Sendable {
    let visit: Visit
    let interaction: Interaction

    var request: Request { visit.request }
    var team: TeamSnapshot { visit.team }

    /// App that the sign-in leads back to; nil if it leads to a page of this server.
    var client: Client? { interaction.app.flatMap { team.client($0.clientID) } }

    /// Session that replaces the first proof; for an app, not one that began at a provider, which asks again each time
    /// on its own sheet, and none if the team has no directory.
    var session: Session? {
        let isOfDirectory = team.hasDirectory && visit.session?.firstFactor.isOfProvider != true
        return interaction.app == nil || isOfDirectory ? visit.session : nil
    }

    /// Language in which the sign-in began.
    var language: Language { request.language(asked: interaction.language) }

    /// Language tags of the sign-in, the most preferred first.
    var languageTags: String { interaction.language ?? request.languageTags() }
}
