import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Log
import Web

// The authorization endpoint (RFC 6749 section 3.1).
extension HostedEndpoints {
    func authorize(
        _ request: Request,
        _ teamID: TeamID,
        _ fields: () throws -> [FormCoding.Field]
    ) async throws -> Response {
        guard teamID != .system, let team = try await teams.snapshot(of: teamID) else {
            throw Problem.notFound
        }
        var sent: [FormCoding.Field] = []
        do {
            sent = try fields()
            let fields = sent
            let parameters = try ProtocolParameters(fields)
            let authorized = try await authorization.judge(parameters, to: team, at: engine.clock())
            return try await begin(authorized, fields, request, team)
        } catch let refusal as AuthorizationRefusal {
            return refuse(request, team, refusal, sent)
        } catch let error as OAuthError {
            return refuse(request, team, AuthorizationRefusal(error), sent)
        } catch let failure as FormCoding.Failure {
            let error = OAuthError.unreadable("the parameters cannot be read: \(failure)")
            return refuse(request, team, AuthorizationRefusal(error), sent)
        }
    }

    private func begin(
        _ authorized: AuthorizationRequest,
        _ fields: [FormCoding.Field],
        _ request: Request,
        _ team: TeamSnapshot
    ) async throws -> Response {
        try await admit(request, team.id, keeping: authorized.keptOctets)
        let visitor = try await visitor(request, team)
        if request.method == .post, visitor.isNewBrowser { return try askAgain(fields, team.id) }
        let attempt = flow.open(
            authorized,
            language: request.language(asked: authorized.locales).tag,
            in: team.id,
            from: request.auditOrigin
        )
        return try await begin(
            Context(
                request: request,
                team: team,
                attempt: attempt,
                client: authorized.client,
                visitor: visitor
            )
        )
    }

    /// Stores a sign-in and answers with its first page, or with the way to it.
    func begin(_ context: Context) async throws -> Response {
        let (team, attempt, visitor) = (context.team, context.attempt, context.visitor)
        var response: Response
        if !team.hasDirectory {
            response = try await beginAtApple(context)
        } else {
            try await flow.begin(attempt, browserHash: visitor.browserHash, in: team.id)
            let hasSession = context.session != nil && !attempt.progress.setsSessionAside
            response =
                hasSession
                ? .redirect(to: TeamRoutes.attempt.link(team.id, attempt.id))
                : pages.respond(signInPage(context))
        }
        if visitor.isNewBrowser { response.set(site.browserCookie(visitor.browser)) }
        return response
    }

    /// A cross-site POST brings no Lax cookie, so a browser we know looks new: the GET that follows tells.
    ///
    /// To give it another cookie here would end what it has under way.
    private func askAgain(_ fields: [FormCoding.Field], _ team: TeamID) throws(Problem) -> Response {
        let query = FormCoding.encode(fields)
        guard query.utf8.count <= Self.longestQuery else { throw .wrongRequest }
        return .redirect(to: "\(TeamRoutes.authorize.link(team))?\(query)")
    }

    /// Of a redirected request; with the browser's own fields it must stay below the limit of a head.
    private static var longestQuery: Int { 10_000 }

    /// Shows the person a page with a reference; the reason is the team's to read.
    ///
    /// Nothing is redirected: until client and return URL are known to belong together, there is nowhere safe
    /// to go.
    private func refuse(
        _ request: Request,
        _ team: TeamSnapshot,
        _ refusal: AuthorizationRefusal,
        _ fields: [FormCoding.Field]
    ) -> Response {
        flows.refuse(refusal, of: fields, to: team, from: request.auditOrigin)
        flows.refusals(
            .info,
            "authorize.refused",
            of: team.id.rawValue,
            for: refusal.cause.rawValue,
            ("request", request.id.description),
            ("team", team.id.rawValue),
            ("error", refusal.error.rawValue),
            ("reason", refusal.reason),
            ("hint", refusal.hint)
        )
        return pages.respond(.wrongRequest, to: request, of: team)
    }
}

extension Problem {
    static let wrongRequest = Problem(
        .badRequest,
        Phrase("hosted.problems.wrong-request.headline"),
        Phrase("hosted.problems.wrong-request.message"),
        advice: Phrase("hosted.problems.wrong-request.advice")
    )

    static let tooManySignIns = Problem(
        .tooManyRequests,
        Phrase("hosted.problems.too-many.headline"),
        Phrase("hosted.problems.too-many.message"),
        advice: Phrase("hosted.problems.too-many.advice"),
        retryAfter: 60
    )
}
