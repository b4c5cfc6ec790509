import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Templates

/// Authentication and authorization of every request to the console.
///
/// The session is one of the system team. The session and the account's teams are read from the database for every
/// request: two statements, each one index lookup.
struct AccessControl: Sendable {
    let parts: Console.Parts
    private let gate: FactorGate

    init(parts: Console.Parts) {
        self.parts = parts
        gate = parts.factors.gate
    }

    private var site: Site { parts.site }
    private var server: ServerContext { parts.server }

    /// Returns the response of `body` for a console account; redirects other requests to the sign-in page and back.
    func admit(_ request: Request, operatorsOnly: Bool = false, _ body: (AccountContext) async throws -> Response)
        async throws -> Response
    {
        guard let context = try await context(request) else { return try await turnAway(request) }
        var response: Response
        do {
            guard context.account.isOperator || !operatorsOnly else { throw UserFacingError.notFound }
            response = try await body(context)
        } catch { response = refuse(error, context) }
        return decorate(response, context)
    }

    /// Returns the response of `body` for a team member whose role has `right`.
    ///
    /// An account that is not a member gets 404, a member without the right 403. A closed team is read-only.
    func admit(
        _ request: Request, to team: TeamID, needing right: Right, at section: Section,
        _ body: (TeamContext) async throws -> Response
    ) async throws -> Response {
        try await admit(request) { context in
            guard let membership = context.account.rights.membership(in: team) else { throw UserFacingError.notFound }
            let context = TeamContext(accountContext: context, membership: membership, section: section)
            guard context.may(right) else { throw UserFacingError.forbidden }
            guard context.team.closedAt == nil || [.get, .head].contains(request.method) else {
                throw UserFacingError.teamClosed
            }
            return try await body(context)
        }
    }

    /// Rejects an unauthenticated request before a long body is read.
    var admission: RouteOptions.Admission { { request in try await context(request) == nil ? turnAway(request) : nil } }

    /// Whether the request is authenticated as an operator of the installation.
    func isOperator(_ request: Request) async throws -> Bool { try await context(request)?.account.isOperator == true }

    /// Reads a form after checking its origin and form token, and counts it as a change.
    ///
    /// - Parameter team: the team for which it counts as well; nil for the account alone.
    /// - Throws: `TooManyRequests`, `UserFacingError`, `PostgresFailure`.
    func form(of context: AccountContext, in team: TeamID?) async throws -> Form {
        let form = try form(of: context.request, from: context.account.browser)
        try await count(context, in: team)
        return form
    }

    /// Reads a form of an unauthenticated browser after checking its origin and form token, without counting it.
    func form(of request: Request, from browser: String) throws(UserFacingError) -> Form {
        try site.form(of: request, from: browser)
    }

    /// Reads a form that has no form token, after checking its origin, and counts it as a change.
    ///
    /// - Throws: `TooManyRequests`, `UserFacingError`, `PostgresFailure`.
    func answer(of context: AccountContext, in team: TeamID) async throws -> Form {
        try site.checkOrigin(of: context.request)
        let form: Form
        do throws(FormCoding.Failure) { form = try context.request.form() } catch {
            throw UserFacingError(HTTPError.badRequest)
        }
        try await count(context, in: team)
        return form
    }

    /// Counts a change by an account, of its team too.
    private func count(_ context: AccountContext, in team: TeamID?) async throws {
        let own = RateLimit.Use(.changes, by: .account(context.account.subject))
        let uses = team == nil ? [own] : [own, RateLimit.Use(.changesOfTeam, by: .team)]
        try await parts.database.count(uses, in: team ?? .system, at: server.clock())
    }

    /// Secret in the browser's cookie, or a new secret if the cookie is missing or malformed.
    func browser(of request: Request) -> (secret: String, isNew: Bool) {
        let known = site.cookies.browser(in: request.cookies)
        return (known ?? Base64URL.encode(server.random.bytes(16)), known == nil)
    }

    /// Context of an authenticated request, or nil if the request has no valid session.
    func context(_ request: Request) async throws -> AccountContext? {
        let cookies = request.cookies
        guard let token = cookies[site.cookies.session(of: .system)].flatMap(SessionToken.init(text:)),
            let session = try await parts.sessions.find(token, in: .system, at: server.clock())
        else { return nil }
        let rights = try await AccountRightsStore(parts.system).find(of: session.user.subject)
        // The account may have gained rights since the session began, and then it may need a second factor.
        guard gate.admits(session, with: rights) else { return nil }
        let browser = browser(of: request)
        return AccountContext(
            request: request, site: site, server: server,
            account: Account(
                session: session, sessionToken: token, browser: browser.secret, isNewBrowser: browser.isNew,
                rights: rights), flash: Flash.read(cookies[Flash.cookieName(site.cookies)], browser.secret, site))
    }

    /// Redirects to the sign-in page, or shows the setup page while there is no operator who could sign in.
    private func turnAway(_ request: Request) async throws -> Response {
        let wasSignedIn = request.cookies[site.cookies.session(of: .system)] != nil
        guard !wasSignedIn, try await SetupLinkStore(parts.system).isOpen() else { return signInFirst(request) }
        return site.respond(SetupLinkPage.wanted(site.assets), status: .serviceUnavailable)
    }

    /// Redirects to the sign-in page, which returns to the requested page.
    ///
    /// A request that is not GET or HEAD returns to the console's home page, because a form cannot be resent.
    private func signInFirst(_ request: Request) -> Response {
        let next = [.get, .head].contains(request.method) ? request.pathAndQuery : ConsoleRoutes.home.link()
        let signIn = "\(TeamRoutes.session.link(.system))?next=\(PercentCoding.encode(next))"
        return .redirect(to: site.link(to: signIn, for: request))
    }
}

// Error responses, and the cookies of every response.
extension AccessControl {
    /// Error page for a request without a known account.
    ///
    /// It responds without suspending.
    func refuse(_ problem: UserFacingError, _ request: Request) -> Response {
        respond(problem, request, PlainFrame(title: problem.headline, assets: site.assets, chrome: PlainChrome(nil)))
    }

    private func refuse(_ error: any Error, _ context: AccountContext) -> Response {
        let problem = UserFacingError(error)
        let members: [(StaticString, String?)] = [
            ("request", context.request.id.description), ("cause", "\(describing: error)"),
        ]
        if problem.status == .internalServerError {
            parts.log.line(.error, "console.failed", members)
        } else if problem.status.code >= 500 {
            let (route, cause) = (context.request.routePattern ?? "", RefusalLog.cause(of: error))
            parts.traces.refusals.line(.warning, "console.failed", at: route, for: cause, members)
        }
        return respond(problem, context.request, context.frame(problem.headline))
    }

    private func respond(_ problem: UserFacingError, _ request: Request, _ frame: PlainFrame) -> Response {
        let page = ConsoleErrorPage(
            frame: frame, problem: problem, requestID: request.id.description, next: site.wayOn(after: problem, request)
        )
        var response = site.respond(page, status: problem.status)
        if let seconds = problem.retryAfter { response.append(.retryAfter, String(seconds)) }
        return response
    }

    /// Adds the browser's cookie if it is new, and deletes the flash cookie unless the response redirects.
    private func decorate(_ response: Response, _ context: AccountContext) -> Response {
        var response = response
        if context.account.isNewBrowser { response.set(site.browserCookie(context.account.browser)) }
        if context.flash != nil, response[.location] == nil {
            response.set(site.cookies.forgotten(Flash.cookieName(site.cookies)))
        }
        return response
    }
}
