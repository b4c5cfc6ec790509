import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Log
import SignIn
import Templates
import Tenancy
import Web

/// Knows who asks, and lets nobody in who may not: every page of the console is behind it.
///
/// The session is the system team's, and the teams an account belongs to are read anew for every request: two
/// statements, each one look into an index.
struct Reception: Sendable {
    let site: Site
    private let sessions: SessionStore
    private let gate: FactorGate
    private let rights: AccountRightsStore
    private let context: EngineContext
    private let log: Log
    private let refusals: RefusalLog
    private let errorPage: LivePage<ConsoleErrorPage>
    private let setupLinks: SetupLinkStore
    private let setupPage: LivePage<SetupLinkPage>
    private let formLimit: FormLimit

    /// - Throws: `Diagnostics`, when the template of errors does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        sessions = parts.sessions
        gate = parts.gate
        rights = AccountRightsStore(parts.system)
        context = parts.context
        log = parts.log
        refusals = parts.flows.refusals
        errorPage = try parts.site.pages.page(ConsoleErrorPage.self)
        setupLinks = SetupLinkStore(parts.system)
        setupPage = try parts.site.pages.page(SetupLinkPage.self)
        formLimit = FormLimit(LimitStore(parts.database))
    }

    /// Has `body` answer a console account; anybody else goes to the sign-in and comes back.
    func admit(
        _ request: Request,
        operatorsOnly: Bool = false,
        _ body: (Visit) async throws -> Response
    ) async throws -> Response {
        guard let visit = try await visit(request) else { return try await turnAway(request) }
        var response: Response
        do {
            guard visit.account.isOperator || !operatorsOnly else { throw Problem.notFound }
            response = try await body(visit)
        } catch {
            response = refuse(error, visit)
        }
        return dress(response, visit)
    }

    /// Has `body` answer a member whose role has that right; for anybody else there is no such team.
    ///
    /// A team that is closed is looked at, and changed no more.
    func admit(
        _ request: Request,
        to team: TeamID,
        needing right: Right,
        at section: Section,
        _ body: (Scope) async throws -> Response
    ) async throws -> Response {
        try await admit(request) { visit in
            guard let membership = visit.account.rights.membership(in: team) else { throw Problem.notFound }
            let scope = Scope(visit: visit, membership: membership, section: section)
            guard scope.may(right) else { throw Problem.forbidden }
            guard scope.team.closedAt == nil || [.get, .head].contains(request.method) else {
                throw Problem.teamClosed
            }
            return try await body(scope)
        }
    }

    /// Turns those away who are not signed in before the body of their request is read.
    var admission: RouteOptions.Admission {
        { request in try await visit(request) == nil ? turnAway(request) : nil }
    }

    /// Whether an operator asks.
    func isOperator(_ request: Request) async throws -> Bool {
        try await visit(request)?.account.isOperator == true
    }

    /// The fields of a form that a page of ours sent to this browser, counted.
    ///
    /// - Parameter team: whose form it counts as, too; nil for one of the account alone.
    /// - Throws: `Problem`, `PostgresFailure`.
    func form(of visit: Visit, in team: TeamID?) async throws -> Form {
        let form = try form(of: visit.request, from: visit.account.browser)
        guard !visit.account.isNewBrowser else { throw Problem.staleForm }
        try await formLimit.charge(visit.request, of: visit.account.subject, in: team, at: context.clock())
        return form
    }

    /// The same for a browser nobody is signed in with.
    func form(of request: Request, from browser: String) throws(Problem) -> Form {
        try site.form(of: request, from: browser)
    }

    /// The fields of an answer that a page of ours sent without a token, counted.
    ///
    /// - Throws: `Problem`, `PostgresFailure`.
    func answer(of visit: Visit, in team: TeamID) async throws -> Form {
        try site.checkOrigin(of: visit.request)
        let form: Form
        do throws(FormCoding.Failure) {
            form = try visit.request.form()
        } catch {
            throw Problem(Refusal.badRequest)
        }
        try await formLimit.charge(visit.request, of: visit.account.subject, in: team, at: context.clock())
        return form
    }

    /// What the browser's cookie holds, or a new value for one that has none.
    func browser(of request: Request) -> (secret: String, isNew: Bool) {
        let known = request.cookies[site.cookies.browser].flatMap {
            Base64URL.decode($0)?.count == 16 ? $0 : nil
        }
        return (known ?? Base64URL.encode(context.random.bytes(16)), known == nil)
    }

    /// Who asks, or nil when nobody is signed in.
    func visit(_ request: Request) async throws -> Visit? {
        let cookies = request.cookies
        guard let token = cookies[site.cookies.session(of: .system)].flatMap(SessionToken.init(text:)),
            let session = try await sessions.find(token, in: .system, at: context.clock())
        else { return nil }
        let rights = try await rights.find(of: session.user.subject)
        // However the session began, and whatever the account has become since.
        guard try await gate.admits(session, with: rights) else { return nil }
        let browser = browser(of: request)
        return Visit(
            request: request,
            site: site,
            account: Account(
                session: session,
                sessionToken: token,
                browser: browser.secret,
                isNewBrowser: browser.isNew,
                rights: rights
            ),
            flash: Flash.read(cookies[Flash.cookieName(site.cookies)], browser.secret, site)
        )
    }

    /// Nobody can sign in before there is an operator, so the sign-in would be a dead end.
    private func turnAway(_ request: Request) async throws -> Response {
        let wasSignedIn = request.cookies[site.cookies.session(of: .system)] != nil
        guard !wasSignedIn, try await setupLinks.isOpen() else { return signInFirst(request) }
        return site.respond(setupPage, .wanted(site.assets), status: .serviceUnavailable)
    }

    /// A form cannot be sent again after signing in, so only pages are come back to.
    private func signInFirst(_ request: Request) -> Response {
        let query = String(decoding: request.queryBytes, as: UTF8.self)
        let asked = query.isEmpty ? request.path : "\(request.path)?\(query)"
        let next = request.method == .get || request.method == .head ? asked : ConsoleRoutes.home.link()
        let door = TeamRoutes.session.link(.system)
        return .redirect(to: "\(door)?next=\(PercentCoding.encode(next))")
    }
}

// Refusing, and what every answer gets.
extension Reception {
    /// A refusal in place of a handler's answer, when nobody is known to have asked.
    ///
    /// It does not wait.
    func refuse(_ problem: Problem, _ request: Request) -> Response {
        respond(
            problem,
            request,
            PlainFrame(title: problem.headline, assets: site.assets, chrome: PlainChrome(nil))
        )
    }

    private func refuse(_ error: any Error, _ visit: Visit) -> Response {
        let problem = Problem(error)
        let members: [(StaticString, String?)] = [
            ("request", visit.request.id.description), ("cause", "\(error)"),
        ]
        if problem.status == .internalServerError {
            log.line(.error, "console.failed", members)
        } else if problem.status.code >= 500 {
            let (route, cause) = (visit.request.routePattern ?? "", RefusalLog.cause(of: error))
            refusals.line(.warning, "console.failed", at: route, for: cause, members)
        }
        return respond(problem, visit.request, visit.frame(problem.headline))
    }

    private func respond(_ problem: Problem, _ request: Request, _ frame: PlainFrame) -> Response {
        let page = ConsoleErrorPage(frame: frame, problem: problem, requestID: request.id.description)
        var response = site.respond(errorPage, page, status: problem.status)
        if let seconds = problem.retryAfter { response.append(.retryAfter, String(seconds)) }
        return response
    }

    /// The cookies every answer brings: the browser's when it had none; what was to be said is said once.
    private func dress(_ response: Response, _ visit: Visit) -> Response {
        var response = response
        if visit.account.isNewBrowser {
            response.set(site.browserCookie(visit.account.browser))
        }
        if visit.flash != nil, response[.location] == nil {
            response.set(site.cookies.forgotten(Flash.cookieName(site.cookies)))
        }
        return response
    }
}
