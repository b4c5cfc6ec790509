// Console: administration of teams (setup, teams, overview, registry, users, audit log) and of the installation.
//
// Owns: the routes under /console, /setup and /invitations, the access rule of each, the pages.
// Must not know: SQL, how a user signs in (the system team's hosted pages do that).
// Standards: OWASP's advice on access control and on cross-site request forgery.

public import Directory
public import Doctor
public import Domain
public import EventLoop
public import Federation
public import HTTP
public import HTTPClient
public import Hosted
public import Jobs
public import Log
public import Mail
public import OAuth
public import Registry
public import Templates
public import Web

/// All pages of the console, to be mounted on the router of one event loop.
public struct Console: Sendable {
    private let accessControl: AccessControl
    private let pages: [any ConsolePages]

    /// All pages of the console by subject.
    private static let subjects: [any ConsolePages.Type] = [
        SetupPages.self, TeamPages.self, OverviewPages.self, RegistryPages.self, UserPages.self, UserFactorPages.self,
        UserInvitationPages.self, AppleTokenPages.self, TracePages.self, AuditPages.self, SigningKeyPages.self,
        NotificationPages.self, TransferPages.self, NotBeforePages.self, MemberPages.self, InvitationPages.self,
        InvitationAcceptancePages.self, SettingsPages.self, CheckupPages.self, HealthPages.self, OperatorTeamPages.self,
        JobPages.self, DriftPages.self, MailboxPages.self,
    ]

    /// Dependencies of the console.
    public struct Parts: Sendable {
        public let site: Site
        public let server: ServerContext
        public let database: TeamDatabase
        public let system: SystemDatabase
        public let sessions: SessionStore
        /// Queue of outgoing email.
        public let mail: MailQueue
        /// Decides whether a session has the authentication factors that its account needs.
        public let gate: FactorGate
        public let hasher: PasswordHasher
        public let testSignIns: TestSignInStore
        /// Belongs to the loop the console is mounted on.
        public let checks: RegistryChecks
        /// Belongs to the loop the console is mounted on.
        public let apple: AppleProvider
        /// HTTP client for URLs of this installation.
        public let client: HTTPClient
        /// File with the TLS certificate of this installation, or nil if it has none.
        public let certificateFile: CertificateFile?
        /// Whether requests arrive through a reverse proxy that is not configured.
        public let lacksProxy: Bool
        /// The Apple simulator that replaces Apple, or nil.
        public let standIn: AppleStandIn?
        /// Whether the published metadata and keys of Apple, or of its simulator, are checked periodically for changes.
        public let watchesApple: Bool
        public let teams: TeamCache
        public let traces: any TraceSink
        public let jobs: JobQueue
        /// Makes every loop of this process drop its cached state of the team, after a change of its registry.
        public let registryChanged: @Sendable (TeamID) -> Void
        /// Called with the account of the first operator, when setup has created it.
        public let welcome: @Sendable (Subject) async throws -> Void
        /// Threads, shared by all teams, that generate signing keys, because that keeps a core busy for a while.
        public let pool: BlockingPool
        public let log: Log

        public init(
            site: Site, server: ServerContext, database: TeamDatabase, system: SystemDatabase, sessions: SessionStore,
            mail: MailQueue, gate: FactorGate, hasher: PasswordHasher, testSignIns: TestSignInStore,
            checks: RegistryChecks, apple: AppleProvider, client: HTTPClient, certificateFile: CertificateFile? = nil,
            lacksProxy: Bool, standIn: AppleStandIn? = nil, watchesApple: Bool = true, teams: TeamCache,
            traces: any TraceSink, jobs: JobQueue, registryChanged: @escaping @Sendable (TeamID) -> Void,
            welcome: @escaping @Sendable (Subject) async throws -> Void = { _ in }, pool: BlockingPool, log: Log
        ) {
            self.site = site
            self.server = server
            self.database = database
            self.system = system
            self.sessions = sessions
            self.mail = mail
            self.gate = gate
            self.hasher = hasher
            self.testSignIns = testSignIns
            self.checks = checks
            self.apple = apple
            self.client = client
            self.certificateFile = certificateFile
            self.lacksProxy = lacksProxy
            self.standIn = standIn
            self.watchesApple = watchesApple
            self.teams = teams
            self.traces = traces
            self.jobs = jobs
            self.registryChanged = registryChanged
            self.welcome = welcome
            self.pool = pool
            self.log = log
        }
    }

    /// - Throws: `Diagnostics` if a template does not match its page.
    public init(_ parts: Parts) throws(Diagnostics) {
        accessControl = try AccessControl(parts)
        var pages: [any ConsolePages] = []
        for subject in Self.subjects { pages.append(try subject.init(parts)) }
        self.pages = pages
    }

    /// Adds every route of the console.
    public func mount(on router: inout Router) { router = routes(on: router).router }

    /// Every route of the console with its access rule.
    func routes(on router: Router) -> ConsoleRouter {
        var router = ConsoleRouter(router, accessControl)
        for page in pages { page.mount(on: &router) }
        return router
    }

    /// Whether the request is authenticated as an operator of the installation, for routes outside the console.
    public func isOperator(_ request: Request) async throws -> Bool { try await accessControl.isOperator(request) }

    /// The console's error page for `refusal`, or nil if the path is not one of the console's.
    public func respond(to refusal: HTTPError, _ request: Request) -> Response? {
        let path = request.path
        guard
            path == "/console" || path.hasPrefix("/console/") || path.hasPrefix("/setup/")
                || path.hasPrefix("/invitations/")
        else { return nil }
        return accessControl.refuse(UserFacingError(refusal), request)
    }

    /// Every page of the console, so that startup and tests can check the templates.
    public static var views: [any View.Type] {
        [ConsoleErrorPage.self, ListPage.self, OperatorListPage.self, NewPage.self, ConflictPage.self]
            + subjects.flatMap { $0.views }
    }
}

/// The console's pages about one subject, with their routes.
protocol ConsolePages: Sendable, SendableMetatype {
    /// - Throws: `Diagnostics` if a template does not match its page.
    init(_ parts: Console.Parts) throws(Diagnostics)

    func mount(on router: inout ConsoleRouter)

    /// The pages that no other subject has, so that startup and tests can check the templates.
    static var views: [any View.Type] { get }
}
