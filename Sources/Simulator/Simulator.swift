// Simulator: Apple's side of the protocol, for trials and tests without an account.
//
// Owns: scripted people, scripted faults, the addresses Apple has. Codes, tokens, keys and revocations are the engine's,
// for a team of its own: it is no second engine.
// Must not know: that the one who calls is Pippin.
// Standards: Apple's Sign in with Apple REST API.

public import AuthEngine
import Bytes
import Crypto
import Directory
public import Domain
public import HTTP
public import SignIn
public import Templates
import Tenancy
public import Web

/// Apple's stand-in on one loop.
public struct Simulator: Sendable {
    /// The team of Apple's that everything is registered under here.
    public static let teamID = "APPLESIM00"
    /// Stands for the one browser that every simulated sign-in has.
    static let browser: [UInt8] = SHA256.hash("the simulator's browser")

    let team: TeamID
    let context: EngineContext
    let teams: TeamCache
    let authorization: Authorization
    let flow: SignInFlow
    let tokens: TokenEndpoint
    let revocation: Revocation
    let consents: ConsentStore
    let consentEnds: ConsentEndStore
    let consentList: ConsentListStore
    let database: TeamDatabase
    let sessions: SessionStore
    let signIn: SignIn
    let site: Site
    let script: Script
    let peoplePage: LivePage<PeoplePage>
    let desk: LivePage<DeskPage>

    /// What it is served with.
    public struct Parts: Sendable {
        public let site: Site
        public let context: EngineContext
        public let teams: TeamCache
        public let database: TeamDatabase
        public let flows: FlowRecorder
        public let signIn: SignIn

        public init(
            site: Site,
            context: EngineContext,
            teams: TeamCache,
            database: TeamDatabase,
            flows: FlowRecorder,
            signIn: SignIn
        ) {
            self.site = site
            self.context = context
            self.teams = teams
            self.database = database
            self.flows = flows
            self.signIn = signIn
        }
    }

    /// - Parameter script: shared by all loops.
    /// - Throws: `Diagnostics`, when a template does not fit its page.
    public init(_ parts: Parts, script: Script) throws(Diagnostics) {
        guard let team = TeamID(rawValue: Self.teamID), let relay = RelayDomain("privaterelay.appleid.com")
        else {
            preconditionFailure("constants of ours")
        }
        let (context, database) = (parts.context, parts.database)
        let trials = TrialStore(database: database, keyRing: context.keyRing)
        self.team = team
        self.context = context
        self.script = script
        teams = parts.teams
        signIn = parts.signIn
        site = parts.site
        authorization = Authorization(trials: trials)
        consents = ConsentStore(database, relay: relay)
        flow = SignInFlow(
            context: context,
            database: database,
            consents: consents,
            flows: parts.flows
        )
        tokens = TokenEndpoint(context: context, database: database, trials: trials, flows: parts.flows)
        revocation = Revocation(context: context, database: database, trials: trials)
        consentEnds = ConsentEndStore(database)
        consentList = ConsentListStore(database)
        self.database = database
        sessions = SessionStore(database)
        peoplePage = try parts.site.pages.page(PeoplePage.self)
        desk = try parts.site.pages.page(DeskPage.self)
    }

    public static var views: [any View.Type] { [PeoplePage.self, DeskPage.self] }

    /// Adds Apple's addresses, all below `/apple`.
    public func mount(on router: inout Router) {
        router.get(Routes.authorize) { request in try await authorize(request) }
        router.post(Routes.decision, .form) { request, attempt in try await decide(request, attempt) }
        router.post(Routes.device, .form) { request in try await authorizeOnDevice(request) }
        router.post(Routes.token) { request in try await token(request) }
        router.post(Routes.revoke) { request in try await revoke(request) }
        router.get(Routes.keys) { _ in try await keys() }
        router.get(Routes.discovery) { request in await discovery(request) }
        router.get(Routes.desk) { request in try showDesk(request) }
        router.post(Routes.desk, .form) { request in try setDesk(request) }
        router.post(Routes.notices, .form) { request in try await tell(request) }
    }

    /// The team as it is registered now.
    func snapshot() async throws -> TeamSnapshot {
        guard let team = try await teams.snapshot(of: team) else { throw Problem.notFound }
        return team
    }
}

/// Apple's addresses below a prefix of ours.
enum Routes {
    static let authorize = Route("/apple/auth/authorize")
    static let decision = Route("/apple/auth/attempts/:attempt", AttemptID.self)
    /// In place of Apple's framework on a device.
    static let device = Route("/apple/device")
    static let token = Route("/apple/auth/token")
    static let revoke = Route("/apple/auth/revoke")
    static let keys = Route("/apple/auth/keys")
    static let discovery = Route("/apple/.well-known/openid-configuration")
    /// Where faults are chosen.
    static let desk = Route("/apple")
    /// Where something happens to somebody.
    static let notices = Route("/apple/notices")
}
