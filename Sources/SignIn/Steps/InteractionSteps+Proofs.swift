import Directory
import HTTP
import OAuth

// From a proof to a session. Steps never call one another; each ends with a redirect to the interaction, or with the
// answer to the app.
extension InteractionSteps {
    /// Stores a user's first proof, by any method, and the second factor that is due in addition.
    func keepFirstProof(of user: User, by method: ProofMethod, login: String, _ context: InteractionContext)
        async throws -> Response
    {
        let due = try await factors.gate.due(
            of: user.subject, provedBy: [method], in: context.team.id, context.team.secondFactor)
        let isKept = try await interactions.prove(
            user, by: method, login: login, owing: SecondFactorDue(due), in: context.interaction,
            browserHash: context.browserContext.browserHash, of: context.team.id)
        guard isKept else { throw UserFacingError.interactionExpired }
        return try await advance(context)
    }

    /// Response of a step that has stored a proof: a redirect to the dispatcher, with a session if no further proof is
    /// due.
    func advance(_ context: InteractionContext) async throws -> Response {
        var context = context
        let hash = context.browserContext.browserHash
        guard
            let interaction = try await interactions.find(
                context.interaction.id, browserHash: hash, in: context.team.id)
        else { throw UserFacingError.interactionExpired }
        context.interaction = interaction
        if case .proved = interaction.progress.status(hasSession: false) { return try await enter(context) }
        return redirectToInteraction(context)
    }

    /// Redirects to the dispatcher.
    func redirectToInteraction(_ context: InteractionContext) -> Response {
        .redirect(to: TeamRoutes.interaction.link(context.team.id, context.interaction.id))
    }

    /// Creates a session from the proofs, with a new session token.
    func enter(_ context: InteractionContext) async throws -> Response {
        let (interaction, browserContext, team) = (context.interaction, context.browserContext, context.team.id)
        var response = redirectToInteraction(context)
        guard let identity = interaction.progress.identity else { return response }
        let isKnown = try await sessionIssuer.knows(identity.login, context.request, team, browserContext)
        let stranger = isKnown ? nil : try await notification.person(identity.subject, in: team)
        let cookies = try await interactions.enter(interaction, browserHash: browserContext.browserHash, of: team) {
            proofs in
            try await sessionIssuer.enter(
                identity, second: interaction.progress.second, to: context.client?.id, taking: proofs, context.request,
                team, browserContext)
        }
        guard let cookies else { return response }
        for cookie in cookies { response.set(cookie) }
        if let stranger {
            try await notification.send(to: stranger, context.request, of: context.team, in: context.language)
        }
        return response
    }

    func cancel(_ context: InteractionContext) async throws -> Response {
        let answer = try await interactions.cancel(
            context.interaction, browserHash: context.browserContext.browserHash, in: context.team.id,
            from: context.request.auditOrigin)
        return try exit(with: answer, context)
    }

    /// Delivers the answer to the app; if the interaction or consent has ended, redirects to the dispatcher instead.
    func exit(with answer: AuthorizationAnswer?, _ context: InteractionContext) throws -> Response {
        guard let answer, let client = context.client else { return redirectToInteraction(context) }
        return try pages.exit(with: answer, appName: client.name, of: context.team, in: context.language)
    }
}
