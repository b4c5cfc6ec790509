import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import SignIn

// Pages that a user sees at Apple.
extension Simulator {
    /// Apple's authorization endpoint: the engine's checks, then a list of users instead of a password.
    func authorize(_ request: Request) async throws -> Response {
        let team = try await snapshot()
        let (fields, judged): ([FormCoding.Field], AuthorizationRequest)
        do {
            fields = try request.query(maximumFields: 64).fields
            judged = try await authorization.judge(try ProtocolParameters(fields), to: team, at: server.clock())
        } catch let refusal as AuthorizationRefusal { return refused(refusal.error, refusal.reason) } catch let error
            as OAuthError
        { return refused(error.code, error.reason) }
        let interaction = flow.open(judged, sent: fields, in: self.team, from: request.auditOrigin)
        try await flow.begin(interaction, browserHash: Self.browser, in: self.team)
        if let performer = script.nextPerformer() { return try await perform(performer, interaction, request) }
        let page = PeoplePage(
            assets: site.assets, appName: team.client(judged.clientID)?.name ?? "",
            action: Routes.decision.link(interaction.id))
        return site.respond(peoplePage, page)
    }

    func decide(_ request: Request, _ id: InteractionID) async throws -> Response {
        guard let performer = try request.form()["person"].flatMap(Performer.init(rawValue:)),
            let interaction = try await flow.find(id, browserHash: Self.browser, in: team)
        else { throw UserFacingError.wrongChoice }
        return try await perform(performer, interaction, request)
    }

    /// Performs the user's behavior, and responds to the app.
    private func perform(_ performer: Performer, _ interaction: Interaction, _ request: Request) async throws
        -> Response
    {
        let team = try await snapshot()
        guard var answer = try await answer(performer, interaction, team, request),
            let client = team.client(answer.clientID)
        else { throw UserFacingError.wrongChoice }
        if let fault = script.take(at: .browser) {
            try answer.replace("id_token") { try forgery(fault, team).forge($0) }
        }
        return try hosted.exit(with: answer, appName: client.name, of: team, in: request.language)
    }

    /// The answer to the app after the user's decision; nil if the sign-in has ended.
    func answer(_ performer: Performer, _ interaction: Interaction, _ team: TeamSnapshot, _ request: Request)
        async throws -> AuthorizationAnswer?
    {
        let (origin, hash) = (request.auditOrigin, Self.browser)
        guard let app = interaction.app else { return nil }
        if performer == .reluctant {
            return try await flow.cancel(interaction, browserHash: hash, in: self.team, from: origin)
        }
        let subject = performer.subject
        if performer == .newcomer {
            try await authorizationEnds.endConsent(
                of: subject, for: app.primaryAppID, in: self.team, by: .person(subject), from: origin)
        }
        guard let session = try await session(of: performer, from: origin) else { return nil }
        let step = try await flow.step(for: subject, primaryAppID: app.primaryAppID, in: self.team)
        if case .confirmation(let consent) = step {
            return try await flow.confirm(
                interaction, under: consent, of: session, browserHash: hash, in: team, from: origin)
        }
        let choice = ConsentChoice(
            name: app.scope.name ? performer.name : nil, email: app.scope.email ? performer.choice : .withheld)
        let answer = try await flow.consent(
            to: interaction, choice, of: session, browserHash: hash, in: team, from: origin)
        // Apple sends `user` only once, even if the response does not arrive.
        try await consents.noteDelivery(of: subject, to: app.primaryAppID, in: self.team, at: server.clock())
        return answer
    }

    /// A new session of the user; a numbered user keeps its session until it expires.
    private func session(of performer: Performer, from origin: Origin) async throws -> Session? {
        let now = server.clock()
        if let session = script.session(of: performer), session.expiresAt > now { return session }
        if case .passerby = performer { try await Cast(database).admit(performer, to: team) }
        let token = try await sessions.begin(for: performer.subject, in: team, from: origin, at: now)
        let session = try await sessions.find(token, in: team, at: now)
        if case .passerby = performer { script.remember(session, of: performer) }
        return session
    }

    /// Apple's own error page, without a redirect to the app.
    private func refused(_ error: OAuthError.Code, _ reason: String) -> Response {
        .text("\(error.rawValue)\n\n\(reason)\n", status: .badRequest)
    }
}

extension UserFacingError {
    static let wrongChoice = UserFacingError(
        .badRequest, "This sign-in is over",
        "The stand-in for Apple does not know it, or somebody has decided already.",
        advice: "Go back to the app and sign in again.")
}
