// Hosted: a team's hosted pages and protocol endpoints.
//
// Owns: the addresses under /t/{team}, the sign-in pages, the cookies of browsers and sessions, the statuses and header
// fields of the protocol.
// Must not know: SQL, how tokens are made.
// Standards: RFC 6749, RFC 7009, OAuth 2.0 Form Post Response Mode, OpenID Connect Discovery 1.0.

import Accounts
import Bytes
public import Directory
public import Domain
public import Federation
public import HTTP
public import Localization
public import Log
public import Mail
public import OAuth
public import Templates
import Tenancy
public import Web

/// Endpoints of teams, to be mounted on the router of one event loop.
public struct Hosted: Sendable {
    private let endpoints: ProtocolEndpoints
    private let hosted: HostedEndpoints
    private let account: AccountEndpoints
    private let logo: LogoEndpoint
    private let pages: HostedPages

    /// Dependencies of the endpoints.
    public struct Parts: Sendable {
        public let site: Site
        public let server: ServerContext
        public let teams: TeamCache
        public let database: TeamDatabase
        public let testSignIns: TestSignInStore
        public let passwords: PasswordSignIn
        public let hasher: PasswordHasher
        public let sessions: SessionStore
        public let factors: SecondFactors
        public let consents: ConsentStore
        public let mail: MailQueue
        public let traces: any TraceSink
        public let apple: any NativeProvider
        public let log: Log

        public init(
            site: Site, server: ServerContext, teams: TeamCache, database: TeamDatabase, testSignIns: TestSignInStore,
            passwords: PasswordSignIn, hasher: PasswordHasher, sessions: SessionStore, factors: SecondFactors,
            consents: ConsentStore, mail: MailQueue, traces: any TraceSink, apple: any NativeProvider, log: Log
        ) {
            self.site = site
            self.server = server
            self.teams = teams
            self.database = database
            self.testSignIns = testSignIns
            self.passwords = passwords
            self.hasher = hasher
            self.sessions = sessions
            self.factors = factors
            self.consents = consents
            self.mail = mail
            self.traces = traces
            self.apple = apple
            self.log = log
        }
    }

    /// - Throws: `Diagnostics` if a template does not match its page.
    public init(_ parts: Parts) throws(Diagnostics) {
        pages = try HostedPages(site: parts.site)
        endpoints = ProtocolEndpoints(parts, pages)
        logo = LogoEndpoint(logos: TeamLogoStore(parts.database), teams: parts.teams)
        let factorPages = try FactorPages(site: parts.site)
        hosted = HostedEndpoints(parts, pages, factorPages)
        account = AccountEndpoints(parts, pages, factorPages)
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
    public func exit(with answer: AuthorizationAnswer, appName: String, of team: TeamSnapshot, in language: Language)
        throws(UserFacingError) -> Response
    { try pages.exit(with: answer, appName: appName, of: team, in: language) }

    /// Error response in the client's format: JSON for apps, a page for browsers.
    public func respond(to refusal: HTTPError, _ request: Request) -> Response {
        let problem = UserFacingError(refusal)
        let isReceipt = request.routePattern == TeamRoutes.receipt.text
        let readsJSON = isReceipt ? !Accept(request[.accept]).prefersPage : TeamRoutes.isProtocol(request.routePattern)
        if readsJSON { return ProtocolAnswers.problem(problem) }
        return pages.respond(problem, to: request, of: nil)
    }

    /// All pages with their templates, for the check at startup and for tests.
    public static var views: [any View.Type] {
        [
            SignInPage.self, ConsentPage.self, ContinuePage.self, ExitPostPage.self, ExitRedirectPage.self,
            ExitMessagePage.self, HostedErrorPage.self, SignedOutPage.self, AccountPage.self, PasswordPage.self,
            StopUsingPage.self, AppleDetailPage.self, AccountDeletionPage.self, AccountDeletedPage.self,
            ReceiptPage.self, AccountDataPage.self, RegistrationPage.self, RecoveryPage.self, MessagePage.self,
            LinkPage.self, NewPasswordPage.self, EmailPage.self, InvitedPage.self,
        ] + FactorPages.views
    }
}

extension Hosted.Parts {
    var mailer: AccountMailer {
        AccountMessages(site: site, server: server, teams: teams, mail: mail, database: database).mailer
    }

    var newPasswords: NewPasswords { NewPasswords(database, hasher: hasher) }

    var emailChanges: EmailChange { EmailChange(database, mailer: mailer, random: server.random) }

    var sessionIssuer: SessionIssuer {
        SessionIssuer(site: site, passwords: passwords, sessions: sessions, server: server)
    }
}

extension HostedEndpoints {
    fileprivate init(_ parts: Hosted.Parts, _ pages: HostedPages, _ factorPages: FactorPages) {
        let (server, database, mailer) = (parts.server, parts.database, parts.mailer)
        let interactions = Interactions(
            server: server, database: database, consents: parts.consents, traces: parts.traces)
        let steps = InteractionSteps(
            pages: pages, factors: parts.factors, teams: parts.teams, interactions: interactions, traces: parts.traces,
            sessionIssuer: parts.sessionIssuer, sessions: parts.sessions,
            notification: NewBrowserAlert(
                users: UserStore(database), database: database, mail: parts.mail, server: server), database: database,
            server: server)
        let registrations = AccountRegistrations(database, hasher: parts.hasher, mailer: mailer, random: server.random)
        let recovery = PasswordRecovery(
            database, hasher: parts.hasher, mailer: mailer, ending: .everything, random: server.random)
        self.init(
            steps: steps, authorization: Authorization(testSignIns: parts.testSignIns),
            password: PasswordStep(steps: steps),
            factor: FactorStep(steps: steps, factorPages: factorPages, mailer: mailer),
            consent: ConsentStep(steps: steps),
            registration: RegistrationStep(
                steps: steps, registrations: registrations, newPasswords: parts.newPasswords),
            recovery: RecoveryStep(steps: steps, recovery: recovery),
            federation: FederationStep(
                steps: steps,
                apple: FederatedSignIn(parts.apple, interactions: interactions, server: server, database: database),
                mailer: mailer),
            links: MailedLinks(
                steps: steps, registrations: registrations,
                invitedRegistrations: InvitedRegistrations(database, hasher: parts.hasher, random: server.random),
                recovery: recovery, mailedSignIns: MailedSignIn(database), emailChanges: parts.emailChanges,
                newPasswords: parts.newPasswords))
    }
}

extension AccountEndpoints {
    fileprivate init(_ parts: Hosted.Parts, _ pages: HostedPages, _ factorPages: FactorPages) {
        let steps = AccountSteps(
            pages: pages, factors: parts.factors, sessionIssuer: parts.sessionIssuer, teams: parts.teams,
            sessions: parts.sessions,
            accounts: AccountStores(
                parts.database, server: parts.server, signIn: parts.passwords, hasher: parts.hasher,
                newPasswords: parts.newPasswords, emailChanges: parts.emailChanges), database: parts.database,
            mailer: parts.mailer, server: parts.server)
        let factors = AccountFactors(steps: steps, factorPages: factorPages)
        let linking = FederatedLinking(parts.apple, server: parts.server, database: parts.database)
        let apple = LinkedApple(steps: steps, linking: linking)
        self.init(
            steps: steps, home: AccountHome(steps: steps, factors: factors, apple: apple),
            apps: AccountApps(steps: steps), data: AccountData(steps: steps), email: AccountEmail(steps: steps),
            password: AccountPassword(steps: steps), factors: factors, apple: apple)
    }
}
