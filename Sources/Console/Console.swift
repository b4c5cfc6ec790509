// Console: where teams are run: set-up, teams, overview, registry, users, audit log; and where the installation is.
//
// Owns: the addresses under /console and /setup, who may ask for which, the pages.
// Must not know: SQL, how a person signs in (the system team's hosted pages do that).
// Standards: OWASP's advice on access control and on cross-site request forgery.

public import AuthEngine
public import Directory
public import Doctor
public import Domain
public import EventLoop
public import HTTP
public import HTTPClient
public import Jobs
public import Log
public import Mail
public import Providers
public import Registry
public import SignIn
public import Templates
public import Web

/// The console, ready to be mounted on one loop's router.
public struct Console: Sendable {
    private let reception: Reception
    private let setup: SetupPages
    private let teams: TeamPages
    private let overview: OverviewPages
    private let registry: RegistryPages
    private let users: UserPages
    private let userFactors: UserFactorPages
    private let userInvitations: UserInvitationPages
    private let flows: FlowPages
    private let audit: AuditPages
    private let operators: OperatorPages
    private let signingKeys: SigningKeyPages
    private let notices: NoticePages
    private let appleTokens: AppleTokenPages
    private let transfers: TransferPages
    private let cutoffs: CutoffPages
    private let members: MemberPages
    private let invitations: InvitationPages
    private let invitationDoor: InvitationDoorPages
    private let settings: SettingsPages
    private let checkup: CheckupPages

    /// What the console is served with.
    public struct Parts: Sendable {
        public let site: Site
        public let context: EngineContext
        public let database: TeamDatabase
        public let system: SystemDatabase
        public let sessions: SessionStore
        /// Where letters to people are put.
        public let mail: MailQueue
        /// Whether an account has proved enough.
        public let gate: FactorGate
        public let hasher: PasswordHasher
        public let trials: TrialStore
        /// Belongs to the loop the console is mounted on.
        public let checks: RegistryChecks
        /// Belongs to the same loop.
        public let apple: AppleProvider
        /// For addresses of this installation.
        public let client: HTTPClient
        /// Where this installation holds its certificate, if it does.
        public let certificateFile: CertificateFile?
        /// Whether people come by a proxy that was not named.
        public let lacksProxy: Bool
        /// Where a stand-in is in Apple's place; else nil.
        public let standIn: AppleStandIn?
        /// Whether Apple, or what is in its place, is asked now and then how it describes itself.
        public let watchesApple: Bool
        public let teams: TeamCache
        public let flows: FlowRecorder
        public let jobs: JobQueue
        /// Makes every loop of this process forget what it knew of the team: its registry was changed.
        public let registryChanged: @Sendable (TeamID) -> Void
        /// Called with the account of the first operator, once there is one.
        public let welcome: @Sendable (Subject) async throws -> Void
        /// Where signing keys are made, which takes a core a while; its threads are shared between teams.
        public let pool: BlockingPool
        public let log: Log

        public init(
            site: Site,
            context: EngineContext,
            database: TeamDatabase,
            system: SystemDatabase,
            sessions: SessionStore,
            mail: MailQueue,
            gate: FactorGate,
            hasher: PasswordHasher,
            trials: TrialStore,
            checks: RegistryChecks,
            apple: AppleProvider,
            client: HTTPClient,
            certificateFile: CertificateFile? = nil,
            lacksProxy: Bool,
            standIn: AppleStandIn? = nil,
            watchesApple: Bool = true,
            teams: TeamCache,
            flows: FlowRecorder,
            jobs: JobQueue,
            registryChanged: @escaping @Sendable (TeamID) -> Void,
            welcome: @escaping @Sendable (Subject) async throws -> Void = { _ in },
            pool: BlockingPool,
            log: Log
        ) {
            self.site = site
            self.context = context
            self.database = database
            self.system = system
            self.sessions = sessions
            self.mail = mail
            self.gate = gate
            self.hasher = hasher
            self.trials = trials
            self.checks = checks
            self.apple = apple
            self.client = client
            self.certificateFile = certificateFile
            self.lacksProxy = lacksProxy
            self.standIn = standIn
            self.watchesApple = watchesApple
            self.teams = teams
            self.flows = flows
            self.jobs = jobs
            self.registryChanged = registryChanged
            self.welcome = welcome
            self.pool = pool
            self.log = log
        }
    }

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    public init(_ parts: Parts) throws(Diagnostics) {
        reception = try Reception(parts)
        setup = try SetupPages(parts, reception)
        teams = try TeamPages(parts)
        overview = try OverviewPages(parts)
        registry = try RegistryPages(parts)
        users = try UserPages(parts)
        userFactors = try UserFactorPages(parts)
        userInvitations = try UserInvitationPages(parts)
        flows = try FlowPages(parts)
        audit = try AuditPages(parts)
        operators = try OperatorPages(parts)
        signingKeys = try SigningKeyPages(parts)
        notices = try NoticePages(parts)
        appleTokens = try AppleTokenPages(parts)
        transfers = try TransferPages(parts)
        cutoffs = try CutoffPages(parts)
        members = try MemberPages(parts)
        invitations = try InvitationPages(parts)
        invitationDoor = try InvitationDoorPages(parts, reception)
        settings = try SettingsPages(parts)
        checkup = try CheckupPages(parts)
    }

    /// Adds every address of the console.
    public func mount(on router: inout Router) {
        router = routes(on: router).router
    }

    /// The routes with what each asks of people.
    func routes(on router: Router) -> ConsoleRouter {
        var router = ConsoleRouter(router, reception)
        setup.mount(on: &router)
        teams.mount(on: &router)
        overview.mount(on: &router)
        registry.mount(on: &router)
        users.mount(on: &router)
        userFactors.mount(on: &router)
        userInvitations.mount(on: &router)
        flows.mount(on: &router)
        audit.mount(on: &router)
        operators.mount(on: &router)
        signingKeys.mount(on: &router)
        notices.mount(on: &router)
        appleTokens.mount(on: &router)
        transfers.mount(on: &router)
        cutoffs.mount(on: &router)
        members.mount(on: &router)
        invitations.mount(on: &router)
        invitationDoor.mount(on: &router)
        settings.mount(on: &router)
        checkup.mount(on: &router)
        return router
    }

    /// Whether an operator of the installation asks, for what is no page of the console.
    public func isOperator(_ request: Request) async throws -> Bool {
        try await reception.isOperator(request)
    }

    /// A refusal as a page of the console, or nil when the address is not the console's.
    public func respond(to refusal: HTTP.Refusal, _ request: Request) -> Response? {
        let path = request.path
        guard
            path == "/console" || path.hasPrefix("/console/") || path.hasPrefix("/setup/")
                || path.hasPrefix("/invitations/")
        else {
            return nil
        }
        return reception.refuse(Problem(refusal), request)
    }

    /// Every page with its template, for the check at the start and in tests.
    public static var views: [any View.Type] {
        let own: [any View.Type] = [ConsoleErrorPage.self]
        return own + SetupPages.views + TeamPages.views + OverviewPages.views + RegistryPages.views
            + UserPages.views + UserFactorPages.views + UserInvitationPages.views + AppleTokenPages.views
            + FlowPages.views + AuditPages.views + SigningKeyPages.views
            + NoticePages.views + TransferPages.views + CutoffPages.views + MemberPages.views
            + InvitationDoorPages.views + SettingsPages.views + CheckupPages.views + OperatorPages.views
    }
}
