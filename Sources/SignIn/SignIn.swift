// SignIn: the pages of people who sign in and the protocol's endpoints, below `/t/{team}`.
//
// Owns: their addresses, statuses, header fields and cookies; the parts that all pages share: the views of form fields and
// errors, form tokens, security header fields, user-facing errors.
// Must not know: SQL, how tokens are made.
// Standards: RFC 6749, RFC 7009, OAuth 2.0 Form Post Response Mode, OpenID Connect Discovery 1.0, Content Security Policy
// Level 3, RFC 6265 (cookies).

import Accounts
public import Core
import Directory
import Federation
public import HTTP
public import OAuth
import Platform
import Registry
public import Templates

/// Endpoints of teams, to be mounted on the router of one event loop.
public struct SignIn: Sendable {
    private let endpoints: ProtocolEndpoints
    private let hosted: HostedEndpoints
    private let account: AccountEndpoints
    private let logo: LogoEndpoint
    private let pages: HostedPages
    private let teams: TeamCache

    /// - Throws: `Diagnostics` if a template does not match its page.
    public init(_ services: Services) throws(Diagnostics) {
        pages = try HostedPages(site: services.site)
        teams = services.teams
        endpoints = ProtocolEndpoints(services, pages)
        logo = LogoEndpoint(logos: TeamLogoStore(services.database), teams: services.teams)
        hosted = HostedEndpoints(services, pages)
        account = AccountEndpoints(services, pages)
    }

    /// Adds all addresses of teams.
    public func mount(on router: inout Router) {
        endpoints.mount(on: &router)
        hosted.mount(on: &router)
        account.mount(on: &router)
        logo.mount(on: &router)
        BrandAssets().mount(on: &router)
    }

    /// Response that delivers an answer to the app, for a sign-in that was decided outside the hosted pages.
    public func exit(with answer: AuthorizationResponse, appName: String, of team: TeamSnapshot, in language: Language)
        throws(UserFacingError) -> Response
    { try pages.exit(with: answer, appName: appName, of: team, in: language) }

    /// Error response in the client's format: JSON for apps, a page for browsers.
    public func respond(to refusal: HTTPError, _ request: Request) -> Response {
        let problem = UserFacingError(refusal)
        let isReceipt = request.routePattern == TeamRoutes.receipt.text
        let readsJSON = isReceipt ? !Accept(request[.accept]).prefersPage : TeamRoutes.isProtocol(request.routePattern)
        if readsJSON { return ProtocolAnswers.problem(problem) }
        return pages.respond(problem, to: request, of: team(of: request))
    }

    /// The team of the request's path, if it is in memory.
    private func team(of request: Request) -> TeamSnapshot? {
        let segments = request.path.split(separator: "/", maxSplits: 2)
        guard segments.count > 1, segments[0] == "t", let id = TeamID(rawValue: String(segments[1])), id != .system
        else { return nil }
        return teams.known(id)
    }

    /// All pages with their templates, for the check at startup and for tests.
    public static var views: [any View.Type] { HostedPages.views }
}

extension HostedEndpoints {
    fileprivate init(_ services: Services, _ pages: HostedPages) {
        let (server, database, mailer) = (services.server, services.database, services.mailer)
        let interactions = Interactions(
            server: server, database: database, consents: services.consents, traces: services.traces)
        let steps = InteractionSteps(
            pages: pages, factors: services.factors, visits: services.visits, interactions: interactions,
            traces: services.traces, sessionIssuer: services.sessionIssuer,
            alert: NewBrowserAlert(database: database, mail: services.mail, server: server), database: database,
            server: server)
        let registrations = AccountRegistrations(
            database, hasher: services.hasher, mailer: mailer, random: server.random)
        let recovery = PasswordRecovery(
            database, hasher: services.hasher, mailer: mailer, ending: .everything, random: server.random)
        self.init(
            steps: steps, authorization: Authorization(testSignIns: services.testSignIns),
            password: PasswordStep(steps: steps), factor: FactorStep(steps: steps, mailer: mailer),
            consent: ConsentStep(steps: steps),
            registration: RegistrationStep(
                steps: steps, registrations: registrations, newPasswords: services.newPasswords),
            recovery: RecoveryStep(steps: steps, recovery: recovery),
            federation: FederationStep(
                steps: steps,
                apple: UpstreamSignIn(services.apple, interactions: interactions, server: server, database: database),
                mailer: mailer),
            links: MailedLinks(
                steps: steps, authorization: Authorization(testSignIns: services.testSignIns),
                registrations: registrations,
                invitedRegistrations: InvitedRegistrations(database, hasher: services.hasher, random: server.random),
                recovery: recovery, mailedSignIns: MailedSignIn(database), emailChanges: services.emailChanges,
                newPasswords: services.newPasswords))
    }
}

extension AccountEndpoints {
    fileprivate init(_ services: Services, _ pages: HostedPages) {
        let steps = AccountSteps(
            pages: pages, factors: services.factors, sessionIssuer: services.sessionIssuer, visits: services.visits,
            sessions: services.sessions,
            accounts: AccountStores(
                services.database, server: services.server, signIn: services.passwords, hasher: services.hasher,
                newPasswords: services.newPasswords, emailChanges: services.emailChanges), database: services.database,
            mailer: services.mailer, server: services.server)
        let factors = AccountFactors(steps: steps)
        let linking = UpstreamLinking(services.apple, server: services.server, database: services.database)
        let apple = LinkedApple(steps: steps, linking: linking)
        self.init(
            steps: steps, home: AccountHome(steps: steps, factors: factors, apple: apple),
            apps: AccountApps(steps: steps), data: AccountData(steps: steps), email: AccountEmail(steps: steps),
            password: AccountPassword(steps: steps), factors: factors, apple: apple)
    }
}
