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
        router.get(TeamRoutes.interaction, .storing) { request, team, interaction in
            try await steps.step(request, team, interaction) { try await dispatch($0) }
        }
        router.post(TeamRoutes.password, .form) { request, team, interaction in
            try await steps.directoryStep(request, team, interaction) { try await password.prove($0) }
        }
        router.post(TeamRoutes.consent, .form) { request, team, interaction in
            try await steps.step(request, team, interaction) { try await consent.consent($0) }
        }
        router.post(TeamRoutes.confirmation, .form) { request, team, interaction in
            try await steps.step(request, team, interaction) { try await consent.confirm($0) }
        }
        router.get(TeamRoutes.registration, .storing) { request, team, interaction in
            try await steps.directoryStep(request, team, interaction) { try registration.ask($0) }
        }
        router.post(TeamRoutes.registration, .form) { request, team, interaction in
            try await steps.directoryStep(request, team, interaction) { try await registration.register($0) }
        }
        router.get(TeamRoutes.recovery, .storing) { request, team, interaction in
            try await steps.directoryStep(request, team, interaction) { recovery.ask($0) }
        }
        router.post(TeamRoutes.recovery, .form) { request, team, interaction in
            try await steps.directoryStep(request, team, interaction) { try await recovery.recover($0) }
        }
        federation.mount(on: &router)
        links.mount(on: &router)
        factor.mount(on: &router)
        router.get(TeamRoutes.session, .storing) { request, team in try await beginAccount(request, team) }
    }

    /// An app's parameters are a few KiB at most, so they fit into the memory reserved for short bodies.
    static let authorizeOptions = RouteOptions(bodyLimit: 16 * 1024, contentTypes: [.form])

}

// The dispatcher: the next step is decided from the stored interaction, here and nowhere else.
extension HostedEndpoints {
    /// Shows the next step.
    func dispatch(_ context: InteractionContext) async throws -> Response {
        let (team, session) = (context.team.id, context.session)
        let step = try await steps.interactions.nextStep(of: context.interaction, session, in: team)
        switch (step, context.client, session) {
        case (.proof(let subject), _, _):
            return factor.factorPages.respond(try await factor.factorPage(context, of: subject))
        case (.enrolment(let subject), _, _):
            return factor.factorPages.respond(try await factor.enrolmentPage(context, of: subject))
        case (.enter, _, _): return try await steps.enter(context)
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
