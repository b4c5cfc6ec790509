import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import SignIn
import Web

// What a person sees at Apple.
extension Simulator {
    /// Apple's authorization endpoint: the engine's checks, then a list of people in place of a password.
    func authorize(_ request: Request) async throws -> Response {
        let team = try await snapshot()
        let judged: AuthorizationRequest
        do {
            let parameters = try ProtocolParameters(try request.query(maximumFields: 64).fields)
            judged = try await authorization.judge(parameters, to: team, at: context.clock())
        } catch let refusal as AuthorizationRefusal {
            return refused(refusal.error, refusal.reason)
        } catch let error as OAuthError {
            return refused(error.code, error.reason)
        }
        let attempt = flow.open(judged, in: self.team, from: request.auditOrigin)
        try await flow.begin(attempt, browserHash: Self.browser, in: self.team)
        if let performer = script.nextPerformer() { return try await perform(performer, attempt, request) }
        let page = PeoplePage(
            assets: site.assets,
            appName: judged.client.name,
            action: Routes.decision.link(attempt.id)
        )
        return site.respond(peoplePage, page)
    }

    func decide(_ request: Request, _ id: AttemptID) async throws -> Response {
        guard let performer = try request.form()["person"].flatMap(Performer.init(rawValue:)),
            let attempt = try await flow.find(id, browserHash: Self.browser, in: team)
        else { throw Problem.wrongChoice }
        return try await perform(performer, attempt, request)
    }

    /// Does what that person does, and answers the app.
    private func perform(
        _ performer: Performer,
        _ attempt: Attempt,
        _ request: Request
    ) async throws -> Response {
        let team = try await snapshot()
        guard var answer = try await answer(performer, attempt, team, request),
            let client = team.client(answer.clientID)
        else { throw Problem.wrongChoice }
        if let fault = script.take(at: .browser) {
            try answer.replace("id_token") { try forgery(fault, team).forge($0) }
        }
        return try signIn.exit(with: answer, appName: client.name, of: team, in: request.language)
    }

    /// Decides as that person does; nil when the sign-in is over.
    func answer(
        _ performer: Performer,
        _ attempt: Attempt,
        _ team: TeamSnapshot,
        _ request: Request
    ) async throws -> AuthorizationAnswer? {
        let (origin, hash) = (request.auditOrigin, Self.browser)
        guard let app = attempt.app else { return nil }
        if performer == .reluctant {
            return try await flow.cancel(attempt, browserHash: hash, in: self.team, from: origin)
        }
        let subject = performer.subject
        if performer == .newcomer {
            try await consentEnds.end(
                of: subject,
                for: app.group,
                in: self.team,
                by: .person(subject),
                from: origin
            )
        }
        guard let session = try await session(of: performer, from: origin) else { return nil }
        let step = try await flow.step(for: subject, group: app.group, in: self.team)
        if case .confirmation(let consent) = step {
            return try await flow.confirm(
                attempt,
                under: consent,
                of: session,
                browserHash: hash,
                in: team,
                from: origin
            )
        }
        let choice = ConsentChoice(
            name: app.scope.name ? performer.name : nil,
            email: app.scope.email ? performer.choice : .withheld
        )
        let answer = try await flow.consent(
            to: attempt,
            choice,
            of: session,
            browserHash: hash,
            in: team,
            from: origin
        )
        // Apple says it once, whether it arrives or not.
        try await consents.noteDelivery(of: subject, to: app.group, in: self.team, at: context.clock())
        return answer
    }

    /// Proves anew who it is; of a crowd, everybody stays signed in once they are.
    private func session(of performer: Performer, from origin: Origin) async throws -> Session? {
        let now = context.clock()
        if let session = script.session(of: performer), session.expiresAt > now { return session }
        if case .passerby = performer { try await Cast(database).admit(performer, to: team) }
        let token = try await sessions.begin(for: performer.subject, in: team, from: origin, at: now)
        let session = try await sessions.find(token, in: team, at: now)
        if case .passerby = performer { script.remember(session, of: performer) }
        return session
    }

    /// Apple's own error page: nobody is sent back.
    private func refused(_ error: OAuthError.Code, _ reason: String) -> Response {
        .text("\(error.rawValue)\n\n\(reason)\n", status: .badRequest)
    }
}

extension Problem {
    static let wrongChoice = Problem(
        .badRequest,
        "This sign-in is over",
        "The stand-in for Apple does not know it, or somebody has decided already.",
        advice: "Go back to the app and sign in again."
    )
}
