// SignIn: a team's hosted pages and protocol endpoints.
//
// Owns: the addresses under /t/{team}, the pages people sign in on, cookies of browsers and sessions, statuses and
// header fields of the protocol.
// Must not know: SQL, how tokens are made.
// Standards: RFC 6749, RFC 7009, OAuth 2.0 Form Post Response Mode, OpenID Connect Discovery 1.0.

public import AuthEngine
public import Bytes
public import Directory
public import Domain
public import HTTP
public import Log
public import Mail
public import Templates
import Tenancy
public import Web

/// The addresses of teams, ready to be mounted on one loop's router.
public struct SignIn: Sendable {
    private let endpoints: ProtocolEndpoints
    private let hosted: HostedEndpoints
    private let account: AccountEndpoints
    private let logo: LogoEndpoint
    private let pages: HostedPages

    /// What the addresses are served with.
    public struct Parts: Sendable {
        public let site: Site
        public let context: EngineContext
        public let teams: TeamCache
        public let database: TeamDatabase
        public let trials: TrialStore
        public let passwords: PasswordSignIn
        public let hasher: PasswordHasher
        public let sessions: SessionStore
        public let factors: SecondFactors
        public let consents: ConsentStore
        public let limits: AttemptLimits
        public let mail: MailQueue
        public let flows: FlowRecorder
        public let apple: any NativeProvider
        public let log: Log

        public init(
            site: Site,
            context: EngineContext,
            teams: TeamCache,
            database: TeamDatabase,
            trials: TrialStore,
            passwords: PasswordSignIn,
            hasher: PasswordHasher,
            sessions: SessionStore,
            factors: SecondFactors,
            consents: ConsentStore,
            limits: AttemptLimits,
            mail: MailQueue,
            flows: FlowRecorder,
            apple: any NativeProvider,
            log: Log
        ) {
            self.site = site
            self.context = context
            self.teams = teams
            self.database = database
            self.trials = trials
            self.passwords = passwords
            self.hasher = hasher
            self.sessions = sessions
            self.factors = factors
            self.consents = consents
            self.limits = limits
            self.mail = mail
            self.flows = flows
            self.apple = apple
            self.log = log
        }
    }

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    public init(_ parts: Parts) throws(Diagnostics) {
        pages = try HostedPages(site: parts.site)
        endpoints = ProtocolEndpoints(parts, pages)
        logo = LogoEndpoint(logos: TeamLogoStore(parts.database), teams: parts.teams)
        let factorPages = try FactorPages(site: parts.site)
        hosted = HostedEndpoints(parts, pages, factorPages)
        account = AccountEndpoints(parts, pages, factorPages)
    }

    /// Adds every address of a team.
    public func mount(on router: inout Router) {
        endpoints.mount(on: &router)
        hosted.mount(on: &router)
        account.mount(on: &router)
        logo.mount(on: &router)
        BrandAssets().mount(on: &router)
    }

    /// The way out of a sign-in that was decided elsewhere than on the hosted pages.
    public func exit(
        with answer: AuthorizationAnswer,
        appName: String,
        of team: TeamSnapshot,
        in language: Language
    ) throws(Problem) -> Response {
        try pages.exit(with: answer, appName: appName, of: team, in: language)
    }

    /// A refusal in the form its asker reads: JSON for apps, a page for people.
    public func respond(to refusal: Refusal, _ request: Request) -> Response {
        let problem = Problem(refusal)
        let isReceipt = request.routePattern == TeamRoutes.receipt.text
        let readsJSON =
            isReceipt ? !Accept(request[.accept]).prefersPage : TeamRoutes.isProtocol(request.routePattern)
        if readsJSON { return ProtocolAnswers.problem(problem) }
        return pages.respond(problem, to: request, of: nil)
    }

    /// Every page with its template, for the check at the start and in tests.
    public static var views: [any View.Type] {
        [
            SignInPage.self, ConsentPage.self, ContinuePage.self, ExitPostPage.self, ExitRedirectPage.self,
            ExitMessagePage.self,
            HostedErrorPage.self, SignedOutPage.self, AccountPage.self, PasswordPage.self,
            StopUsingPage.self, AppleDetailPage.self, AccountDeletionPage.self, AccountDeletedPage.self,
            ReceiptPage.self, AccountDataPage.self,
            RegistrationPage.self, RecoveryPage.self, MessagePage.self, LinkPage.self, NewPasswordPage.self,
            EmailPage.self, InvitedPage.self,
        ] + FactorPages.views
    }
}

extension SignIn.Parts {
    var post: AccountPost {
        AccountLetters(site: site, context: context, teams: teams, mail: mail).post
    }

    var newPasswords: NewPasswords { NewPasswords(database, hasher: hasher) }

    var emailChanges: EmailChange { EmailChange(database, post: post, random: context.random) }

    var door: SessionDoor {
        SessionDoor(site: site, passwords: passwords, sessions: sessions, context: context)
    }
}

extension HostedEndpoints {
    fileprivate init(_ parts: SignIn.Parts, _ pages: HostedPages, _ factorPages: FactorPages) {
        let (context, database, post) = (parts.context, parts.database, parts.post)
        let flow = SignInFlow(
            context: context,
            database: database,
            consents: parts.consents,
            flows: parts.flows
        )
        self.init(
            pages: pages,
            factorPages: factorPages,
            factors: parts.factors,
            teams: parts.teams,
            authorization: Authorization(trials: parts.trials),
            flow: flow,
            apple: ProviderSignIn(parts.apple, flow: flow, context: context, database: database),
            flows: parts.flows,
            door: parts.door,
            sessions: parts.sessions,
            newPasswords: parts.newPasswords,
            registrations: AccountRegistrations(
                database,
                hasher: parts.hasher,
                post: post,
                random: context.random
            ),
            invitedRegistrations: InvitedRegistrations(
                database,
                hasher: parts.hasher,
                random: context.random
            ),
            recovery: PasswordRecovery(
                database,
                hasher: parts.hasher,
                post: post,
                ending: .everything,
                random: context.random
            ),
            mailedSignIns: MailedSignIn(database),
            emailChanges: parts.emailChanges,
            post: post,
            notice: NewBrowserNotice(
                users: UserStore(database),
                limits: SendingLimits(LimitStore(database)),
                mail: parts.mail,
                context: context
            ),
            limits: parts.limits,
            counts: LimitStore(database),
            engine: context
        )
    }
}

extension AccountEndpoints {
    fileprivate init(_ parts: SignIn.Parts, _ pages: HostedPages, _ factorPages: FactorPages) {
        self.init(
            pages: pages,
            factorPages: factorPages,
            factors: parts.factors,
            door: parts.door,
            teams: parts.teams,
            sessions: parts.sessions,
            accounts: AccountStores(
                parts.database,
                context: parts.context,
                signIn: parts.passwords,
                hasher: parts.hasher,
                newPasswords: parts.newPasswords,
                emailChanges: parts.emailChanges
            ),
            linking: ProviderLinking(parts.apple, context: parts.context, database: parts.database),
            limits: parts.limits,
            counts: LimitStore(parts.database),
            post: parts.post,
            context: parts.context
        )
    }
}
