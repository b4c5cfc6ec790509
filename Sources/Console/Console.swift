// Console: administration of teams (setup, teams, overview, registry, users, audit log) and of the installation.
//
// Owns: the routes under /console, /setup and /invitations, the access rule of each, the pages.
// Must not know: SQL, how a user signs in (the system team's hosted pages do that).
// Standards: OWASP's advice on access control and on cross-site request forgery.

public import Accounts
public import EventLoop
public import HTTP
import OAuth
public import Platform
public import Registry
public import SignIn
public import Templates

/// All pages of the console, to be mounted on the router of one event loop.
public struct Console: Sendable {
    private let parts: Parts
    private var accessControl: AccessControl { AccessControl(parts: parts) }

    /// All pages of the console by subject.
    private static let subjects: [any ConsolePages.Type] = [
        SetupPages.self, TeamPages.self, OverviewPages.self, ResourceEditor<AppIDResource>.self,
        ResourceEditor<ServiceIDResource>.self, DomainPages.self, KeyPages.self, ResourceEditor<AppleKeyResource>.self,
        ResourceEditor<AppleConnectionResource>.self, ResourceEditor<EmailSourceResource>.self, TestSignInPages.self,
        UserPages.self, UserEndPages.self, UserFactorPages.self, UserInvitationPages.self, AppleTokenPages.self,
        TracePages.self, AuditPages.self, SigningKeyPages.self, NotificationPages.self, TransferPages.self,
        NotBeforePages.self, MemberPages.self, InvitationPages.self, InvitationAcceptancePages.self, SettingsPages.self,
        CheckupPages.self, HealthPages.self, OperatorTeamPages.self, JobPages.self, DriftPages.self, MailboxPages.self,
    ]

    /// What the console needs beside the services that all handlers have.
    public struct Options: Sendable {
        /// Belongs to the loop the console is mounted on.
        public let checks: RegistryChecks
        /// HTTP client for URLs of this installation.
        public let client: HTTPClient
        public let mail: MailSender
        /// Threads, shared by all teams, that generate signing keys, because that keeps a core busy for a while.
        public let pool: BlockingPool
        /// File with the TLS certificate of this installation, or nil if it has none.
        public var certificateFile: CertificateFile?
        /// Whether requests arrive through a reverse proxy that is not configured.
        public var lacksProxy = false
        /// The Apple simulator that replaces Apple, or nil.
        public var simulator: AppleSimulator?
        /// Whether the published metadata and keys of Apple, or of its simulator, are checked periodically for changes.
        public var watchesApple = true
        /// Makes every loop of this process drop its cached state of the team, after a change of its registry.
        public var registryChanged: @Sendable (TeamID) -> Void = { _ in }
        /// Called with the account of the first operator, when setup has created it.
        public var welcome: @Sendable (Subject) async throws -> Void = { _ in }

        public init(checks: RegistryChecks, client: HTTPClient, mail: MailSender, pool: BlockingPool) {
            (self.checks, self.client, self.mail, self.pool) = (checks, client, mail, pool)
        }
    }

    /// The services of the loop and the options, as one to the pages.
    @dynamicMemberLookup final class Parts: Sendable {
        let services: Services
        let options: Options

        init(services: Services, options: Options) { (self.services, self.options) = (services, options) }

        // Inlined, so that the compiler sees each key path and reads the member alone, not a copy of all.
        @inline(__always) subscript<Value>(dynamicMember member: KeyPath<Services, Value>) -> Value {
            services[keyPath: member]
        }

        @inline(__always) subscript<Value>(dynamicMember member: KeyPath<Options, Value>) -> Value {
            options[keyPath: member]
        }
    }

    public init(_ services: Services, _ options: Options) { parts = Parts(services: services, options: options) }

    /// Adds every route of the console.
    public func mount(on router: inout Router) { router = routes(on: router).router }

    /// Every route of the console with its access rule.
    func routes(on router: Router) -> ConsoleRouter {
        var router = ConsoleRouter(router, accessControl)
        for subject in Self.subjects { subject.init(parts: parts).mount(on: &router) }
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
        if refusal.status == .notFound, [.get, .head].contains(request.method), let page = Self.renamed(path) {
            let query = String(decoding: request.queryBytes, as: UTF8.self).replacing("trial=no", with: "test=no")
            return .redirect(to: query.isEmpty ? page : "\(page)?\(query)")
        }
        return accessControl.refuse(UserFacingError(refusal), request)
    }

    /// The path without a slash at its end, or the present path of a page whose path was another before 0.3.0, so that
    /// kept links work for one release; nil for any other path.
    static func renamed(_ path: String) -> String? {
        let names = ["flows": "traces", "notices": "notifications", "cutoffs": "not-before", "trials": "test-sign-ins"]
        // No path of a page ends with a slash.
        let segments = path.split(separator: "/").map(String.init)
        let page = "/" + segments.map { names[$0] ?? $0 }.joined(separator: "/")
        return page == path ? nil : page
    }

    /// Every page of the console, so that startup and tests can check the templates.
    public static var views: [any View.Type] {
        [ConsoleErrorPage.self, ListPage.self, OperatorListPage.self, NewPage.self, ConflictPage.self]
            + subjects.flatMap { $0.views }
    }
}

extension Optional {
    /// - Throws: `UserFacingError.notFound` if there is no value.
    func orNotFound() throws(UserFacingError) -> Wrapped {
        guard let self else { throw .notFound }
        return self
    }
}

/// Routes of the console; each declaration both matches requests and builds links.
enum ConsoleRoutes {
    static let setup = Route("/setup/:token", String.self)

    static let home = Route("/console")
    static let teams = Route("/console/teams")
    static let newTeam = Route("/console/teams/new")

    static let overview = Route("/console/:team", TeamID.self)
    static let users = Route("/console/:team/users", TeamID.self)
    static let user = Route("/console/:team/users/:sub", TeamID.self, Subject.self)
    static let traces = Route("/console/:team/traces", TeamID.self)
    static let trace = Route("/console/:team/traces/:trace", TeamID.self, TraceID.self)
    static let audit = Route("/console/:team/audit", TeamID.self)
    static let auditEvent = Route("/console/:team/audit/events/:event", TeamID.self, AuditReference.self)
    static let auditExport = Route("/console/:team/audit/export", TeamID.self)
    static let auditVerification = Route("/console/:team/audit/verification", TeamID.self)

    static let appIDs = Route("/console/:team/app-ids", TeamID.self)
    static let newAppID = Route("/console/:team/app-ids/new", TeamID.self)
    static let appID = Route("/console/:team/app-ids/:app", TeamID.self, ClientID.self)
    static let serviceIDs = Route("/console/:team/service-ids", TeamID.self)
    static let newServiceID = Route("/console/:team/service-ids/new", TeamID.self)
    static let serviceID = Route("/console/:team/service-ids/:service", TeamID.self, ClientID.self)
    static let keys = Route("/console/:team/keys", TeamID.self)
    static let newKey = Route("/console/:team/keys/new", TeamID.self)
    static let key = Route("/console/:team/keys/:key", TeamID.self, KeyID.self)
}
