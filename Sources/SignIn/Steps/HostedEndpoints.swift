import Core
import Directory
import HTTP
import OAuth
import Platform

/// Endpoints of a team's sign-in pages: the start of an interaction, its dispatcher, and its steps.
struct HostedEndpoints: Sendable {
    let steps: InteractionSteps
    let authorization: Authorization
    let password: PasswordStep
    let factor: FactorStep
    let consent: ConsentStep
    let registration: RegistrationStep
    let recovery: RecoveryStep
    let federation: FederationStep
    let links: MailedLinks

    func mount(on router: inout Router) {
        router.get(TeamRoutes.authorize, .storing) { request, team in
            try await authorize(request, team) { try request.query(maximumFields: 64).fields }
        }
        router.post(TeamRoutes.authorize, Self.authorizeOptions) { request, team in
            try await authorize(request, team) { try request.form(maximumFields: 64).fields }
        }
        router.get(TeamRoutes.interaction, .storing, steps.step(dispatch))
        router.post(TeamRoutes.password, .form, steps.directoryStep(password.prove))
        router.post(TeamRoutes.consent, .form, steps.step(consent.consent))
        router.post(TeamRoutes.confirmation, .form, steps.step(consent.confirm))
        router.get(TeamRoutes.registration, .storing, steps.directoryStep(registration.ask))
        router.post(TeamRoutes.registration, .form, steps.directoryStep(registration.register))
        router.get(TeamRoutes.recovery, .storing, steps.directoryStep(recovery.ask))
        router.post(TeamRoutes.recovery, .form, steps.directoryStep(recovery.recover))
        federation.mount(on: &router)
        links.mount(on: &router)
        factor.mount(on: &router)
        router.get(TeamRoutes.session, .storing, beginAccount)
    }

    /// An app's parameters are a few KiB at most, so they fit into the memory reserved for short bodies.
    static let authorizeOptions = RouteOptions(bodyLimit: 16 * 1024, contentTypes: [.form])
}

// The dispatcher: the next step is decided from the stored interaction, here and nowhere else.
extension HostedEndpoints {
    /// Shows the next step.
    func dispatch(_ context: InteractionContext) async throws -> Response {
        let session = context.session
        let step = try await steps.interactions.nextStep(of: context.interaction, session)
        switch (step, context.client, session) {
        case (.proof(let subject), _, _): return steps.pages.respond(try await factor.factorPage(context, of: subject))
        case (.enrolment(let subject), _, _):
            return steps.pages.respond(try await factor.enrolmentPage(context, of: subject))
        case (.enter(let subject), _, _):
            guard let user = try await steps.factors.users.find(subject, in: context.team.id) else {
                throw UserFacingError.interactionExpired
            }
            return try await steps.enter(context, as: user)
        case (.leave(let next), _, _?): return leave(to: next, context)
        case (.consent, let client?, let session?):
            return steps.pages.respond(consent.consentPage(context, client, session.user))
        case (.confirmation, let client?, let session?):
            return steps.pages.respond(consent.continuePage(context, client, session.user))
        case (.signIn, _, _), (.leave, _, _), (.consent, _, _), (.confirmation, _, _):
            if !context.team.hasDirectory { return try await federation.admitAndLeaveForApple(context) }
            return steps.pages.respond(steps.signInPage(context))
        }
    }

    /// Redirects to the page of this server that the sign-in leads to.
    private func leave(to next: String?, _ context: InteractionContext) -> Response {
        let team = context.team.id
        let home = team == .system ? "/console" : TeamRoutes.account.link(team)
        return .redirect(to: LocalPath(next)?.text ?? home)
    }
}

// Sign-ins that lead to a page of this server instead of an app, as for users of the console.
extension HostedEndpoints {
    /// Begins a sign-in that leads to `next`, or to the account page.
    func beginAccount(_ request: Request, _ teamID: TeamID) async throws -> Response {
        guard let team = try await steps.visits.teams.snapshot(of: teamID) else { throw UserFacingError.notFound }
        let query = try request.query()
        let next = LocalPath(query["next"])?.text
        try await steps.admit(request, teamID)
        let visit = try await steps.visits.read(request, at: team)
        let interaction = steps.interactions.open(
            next: next, language: request.languageTags(asked: query["ui_locales"]), browserHash: visit.browserHash,
            in: teamID)
        return try await begin(InteractionContext(visit: visit, interaction: interaction))
    }
}

// The authorization endpoint (RFC 6749 section 3.1).
extension HostedEndpoints {
    func authorize(_ request: Request, _ teamID: TeamID, _ fields: () throws -> [FormCoding.Field]) async throws
        -> Response
    {
        guard teamID != .system, let team = try await steps.visits.teams.snapshot(of: teamID) else {
            throw UserFacingError.notFound
        }
        var sent: [FormCoding.Field] = []
        do {
            sent = try fields()
            let fields = sent
            let parameters = try ProtocolParameters(fields)
            let authorized = try await authorization.judge(parameters, to: team, at: steps.server.clock())
            return try await begin(authorized, sent: fields, parameters.locales, request, team)
        } catch let refusal as AuthorizationRefusal { return refuse(request, team, refusal, sent) } catch let error
            as OAuthError
        { return refuse(request, team, AuthorizationRefusal(error), sent) } catch let failure as FormCoding.Failure {
            let error = OAuthError.unreadable("the parameters cannot be read: \(describing: failure)")
            return refuse(request, team, AuthorizationRefusal(error), sent)
        }
    }

    private func begin(
        _ authorized: AuthorizationRequest, sent fields: [FormCoding.Field], _ locales: String?, _ request: Request,
        _ team: TeamSnapshot
    ) async throws -> Response {
        try await steps.admit(request, team.id)
        let visit = try await steps.visits.read(request, at: team)
        if request.method == .post, visit.isNewBrowser { return try askAgain(fields, team.id) }
        let interaction = steps.interactions.open(
            authorized, sent: fields, language: request.languageTags(asked: locales), browserHash: visit.browserHash,
            in: team.id, from: visit.origin)
        return try await begin(InteractionContext(visit: visit, interaction: interaction))
    }

    /// Stores an interaction and responds with its first page, or with a redirect to it or to Apple.
    func begin(_ context: InteractionContext) async throws -> Response {
        let (team, interaction, visit) = (context.team, context.interaction, context.visit)
        var response: Response
        if !team.hasDirectory {
            response = try await federation.beginAtApple(context)
        } else {
            try await steps.interactions.begin(interaction)
            let hasSession = context.session != nil && !interaction.progress.requiresReauthentication
            response =
                hasSession
                ? .redirect(to: TeamRoutes.interaction.link(team.id, interaction.id))
                : steps.pages.respond(steps.signInPage(context))
        }
        if visit.isNewBrowser { response.set(steps.site.browserCookie(visit.browser)) }
        return response
    }

    /// Repeats the request by GET, because a cross-site POST carries no Lax cookie and a known browser looks new.
    ///
    /// Setting a new cookie here would end the interactions that the browser has in progress.
    private func askAgain(_ fields: [FormCoding.Field], _ team: TeamID) throws(UserFacingError) -> Response {
        let query = FormCoding.encode(fields)
        guard query.utf8.count <= Self.longestQuery else { throw .wrongRequest }
        return .redirect(to: "\(TeamRoutes.authorize.link(team))?\(query)")
    }

    /// Octets of the redirected query; with the browser's own fields, the request must stay below the limit of a head.
    private static var longestQuery: Int { 10_000 }

    /// Shows a page with a reference; only the team can read the reason.
    ///
    /// Nothing is redirected: until the client and the return URL are known to belong together, no address is safe.
    private func refuse(
        _ request: Request, _ team: TeamSnapshot, _ refusal: AuthorizationRefusal, _ fields: [FormCoding.Field]
    ) -> Response {
        steps.traces.refuse(refusal, of: fields, to: team, from: request.auditOrigin)
        steps.traces.refusals(
            .info, "authorize.refused", of: team.id.rawValue, for: refusal.cause.rawValue,
            ("request", request.id.description), ("team", team.id.rawValue), ("error", refusal.error.rawValue),
            ("reason", refusal.reason), ("hint", refusal.hint))
        return steps.pages.respond(.wrongRequest, to: request, of: team)
    }
}

extension UserFacingError { static let wrongRequest = UserFacingError(.badRequest, "hosted.problems.wrong-request") }
