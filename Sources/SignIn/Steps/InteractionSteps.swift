import Core
import Directory
import HTTP
import OAuth
import Platform

/// What the steps of a sign-in share: the interaction of a request, its proofs, and the way on.
struct InteractionSteps: Sendable {
    let pages: HostedPages
    let factors: SecondFactors
    let teams: TeamCache
    let interactions: Interactions
    let traces: any TraceSink
    let sessionIssuer: SessionIssuer
    let sessions: SessionStore
    let notification: NewBrowserAlert
    let database: TeamDatabase
    let server: ServerContext

    var site: Site { pages.site }

    /// Runs `body` for an interaction, if the request is from the browser that began it: the address alone gives no
    /// access.
    func step(
        _ request: Request, _ teamID: TeamID, _ id: InteractionID, _ body: (InteractionContext) async throws -> Response
    ) async throws -> Response {
        guard let team = try await teams.snapshot(of: teamID) else { throw UserFacingError.notFound }
        let browserContext = try await browserContext(request, team)
        guard !browserContext.isNewBrowser, let context = try await context(of: id, request, team, browserContext)
        else { return interactionExpired(request, team) }
        return try await body(context)
    }

    /// InteractionContext of an interaction of this browser; nil if it has ended, or may no longer lead to its app.
    func context(of id: InteractionID, _ request: Request, _ team: TeamSnapshot, _ browserContext: BrowserContext)
        async throws -> InteractionContext?
    {
        guard let interaction = try await interactions.find(id, browserHash: browserContext.browserHash, in: team.id)
        else { return nil }
        guard team.admits(interaction) else { return nil }
        return InteractionContext(
            request: request, team: team, interaction: interaction, browserContext: browserContext)
    }

    /// Runs `body` for an interaction; throws `UserFacingError.notFound` if the team has no directory.
    func directoryStep(
        _ request: Request, _ team: TeamID, _ id: InteractionID, _ body: (InteractionContext) async throws -> Response
    ) async throws -> Response {
        try await step(request, team, id) { context in
            guard context.team.hasDirectory else { throw UserFacingError.notFound }
            return try await body(context)
        }
    }

    /// Counts a request that stores something without a session; throws `TooManyRequests`.
    func admit(_ request: Request, _ team: TeamID) async throws {
        let use = RateLimit.Use(.unauthenticatedWrites, by: .network(request.client.description))
        try await database.count([use], in: team, at: server.clock())
    }

    func interactionExpired(_ request: Request, _ team: TeamSnapshot) -> Response {
        traces.refuseOver(in: team.id, from: request.auditOrigin)
        return pages.respond(.interactionExpired, to: request, of: team)
    }

    func browserContext(_ request: Request, _ team: TeamSnapshot) async throws -> BrowserContext {
        try await BrowserContext.read(
            request, team: team, cookies: site.cookies, sessions: sessions, gate: factors.gate, server: server)
    }

    /// Fields of a form that was served to this browser.
    func form(of context: InteractionContext) throws(UserFacingError) -> Form {
        try site.form(of: context.request, from: context.browserContext.browser)
    }
}

extension UserFacingError {
    /// The interaction is unknown, has ended, or belongs to another browser.
    static let interactionExpired = UserFacingError(
        .gone, Message("hosted.problems.attempt-over.headline"), Message("hosted.problems.attempt-over.message"),
        advice: Message("hosted.problems.attempt-over.advice"))
}
