// Simulator: Apple's side of the protocol, for test sign-ins and tests without an account.
//
// Owns: simulated users, scripted faults, Apple's endpoints. Codes, tokens, keys and revocations are the engine's, for
// a team of the simulator's own: it is not a second engine.
// Must not know: that its client is Pippin.
// Standards: Apple's Sign in with Apple REST API.

import Core
import Crypto
import Directory
import Federation
public import HTTP
import OAuth
import Platform
import Registry
public import SignIn
public import Templates

/// The Apple simulator on one loop.
public struct Simulator: Sendable {
    /// Apple team under which all clients of the simulator are registered.
    public static let teamID = "APPLESIM00"
    /// Hash of the one browser that all simulated sign-ins share.
    static let browser: [UInt8] = SHA256.hash("the simulator's browser")

    let team: TeamID
    let server: ServerContext
    let teams: TeamCache
    let authorization: Authorization
    let flow: Interactions
    let clients: ClientAuthenticator
    let tokens: TokenEndpoint
    let revocation: Revocation
    let consents: ConsentStore
    let authorizationEnds: AuthorizationEndStore
    let consentList: ConsentListStore
    let database: TeamDatabase
    let sessions: SessionStore
    let hosted: Hosted
    let site: Site
    let script: Script
    let peoplePage: LivePage<PeoplePage>
    let desk: LivePage<DeskPage>

    /// - Parameter script: behavior that all loops share.
    /// - Throws: `Diagnostics` if a template does not match its view.
    public init(_ services: Services, hosted: Hosted, script: Script) throws(Diagnostics) {
        guard let team = TeamID(rawValue: Self.teamID), let relay = RelayDomain("privaterelay.appleid.com") else {
            preconditionFailure("constants of ours")
        }
        let (server, database) = (services.server, services.database)
        self.team = team
        self.server = server
        self.script = script
        teams = services.teams
        self.hosted = hosted
        site = services.site
        authorization = Authorization(testSignIns: services.testSignIns)
        consents = ConsentStore(database, relay: relay)
        flow = Interactions(server: server, database: database, consents: consents, traces: services.traces)
        authorizationEnds = AuthorizationEndStore(database)
        clients = ClientAuthenticator(server: server, database: database)
        tokens = TokenEndpoint(server: server, database: database, ends: authorizationEnds, traces: services.traces)
        revocation = Revocation(database: database, ends: authorizationEnds)
        consentList = ConsentListStore(database)
        self.database = database
        sessions = services.sessions
        peoplePage = try services.site.pages.page(PeoplePage.self)
        desk = try services.site.pages.page(DeskPage.self)
    }

    public static var views: [any View.Type] { [PeoplePage.self, DeskPage.self] }

    /// Adds Apple's endpoints, all below `/apple`.
    public func mount(on router: inout Router) {
        router.get(Routes.authorize, .storing) { request in try await authorize(request) }
        router.post(Routes.decision, .form) { request, interaction in try await decide(request, interaction) }
        router.post(Routes.device, .form) { request in try await authorizeOnDevice(request) }
        router.post(Routes.token) { request in try await token(request) }
        router.post(Routes.revoke) { request in try await revoke(request) }
        router.get(Routes.keys) { _ in try await keys() }
        router.get(Routes.discovery) { request in await discovery(request) }
        router.get(Routes.desk) { request in try showDesk(request) }
        router.post(Routes.desk, .form) { request in try setDesk(request) }
        router.post(Routes.notifications, .form) { request in try await sendNotification(request) }
    }

    /// The team as it is registered now.
    func snapshot() async throws -> TeamSnapshot {
        guard let team = try await teams.snapshot(of: team) else { throw UserFacingError.notFound }
        return team
    }
}

/// Apple's endpoints below the prefix `/apple`.
enum Routes {
    static let authorize = Route("/apple/auth/authorize")
    static let decision = Route("/apple/auth/attempts/:attempt", InteractionID.self)
    /// Replaces Apple's framework on a device.
    static let device = Route("/apple/device")
    static let token = Route("/apple/auth/token")
    static let revoke = Route("/apple/auth/revoke")
    static let keys = Route("/apple/auth/keys")
    static let discovery = Route("/apple/.well-known/openid-configuration")
    /// Page that selects faults.
    static let desk = Route("/apple")
    /// Simulates an event of a user.
    static let notifications = Route("/apple/notices")
}
