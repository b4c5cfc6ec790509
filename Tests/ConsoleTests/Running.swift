import Bytes
import Crypto
import DNS
import Directory
import Doctor
import Domain
import EventLoop
import HTTP
import HTTPClient
import Hosted
import Jobs
import Log
import Mail
import Postgres
import Registry
import Simulator
import Synchronization
import Templates
import Tenancy
import TestDatabase
import TestNames
import Testing
import Web

@testable import Console
@testable import Federation
@testable import OAuth
@testable import Operations
@testable import SignInTrace

/// Lends `body` a running console, on whose loop it runs; a few at a time, lest they starve one another.
///
/// - Parameters:
///   - sparesRoles: whether roles demand no second factor, as on loopback.
///   - certificateFile: what `--tls-cert` says.
func withEnvironment(
    sparesRoles: Bool = true, certificateFile: String? = nil,
    _ body: @escaping @Sendable (TestEnvironment) async throws -> Void
) async throws {
    let settings = WorldSettings(sparesRoles: sparesRoles, certificateFile: certificateFile)
    await Gate.worlds.enter()
    let result: Result<Void, any Error>
    do { result = .success(try await withOwnWorld(settings, body)) } catch { result = .failure(error) }
    await Gate.worlds.leave()
    try result.get()
}

/// What a test wants otherwise than the others.
private struct WorldSettings: Sendable {
    let sparesRoles: Bool
    let certificateFile: String?
}

/// Lets a number of tests through and has the others wait.
private actor Gate {
    static let worlds = Gate(room: 6)

    private var room: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(room: Int) { self.room = room }

    func enter() async { if room > 0 { room -= 1 } else { await withCheckedContinuation { waiting.append($0) } } }

    func leave() { if waiting.isEmpty { room += 1 } else { waiting.removeFirst().resume() } }
}

private func withOwnWorld(_ settings: WorldSettings, _ body: @escaping @Sendable (TestEnvironment) async throws -> Void)
    async throws
{
    try await withDatabase { conninfo in
        try AdminConnection(to: conninfo).execute(
            """
            INSERT INTO teams (team_id, name, mode)
            VALUES ('ACMETEAM01', 'Acme', 'sandbox'), ('RIVALTEAM1', 'Rival', 'production')
            """)
        let loop = try EventLoop(name: "console-test")
        try loop.start()
        defer { loop.stop() }
        let pool = try BlockingPool(name: "console-test", threads: 2, queueLimit: 128)
        defer { pool.stop() }
        try await loop.run { try await serveSomewhere(on: loop, conninfo, pool, settings, body) }
    }
}

/// Tries another port when somebody took the free one in between, which happens before `body` runs.
private func serveSomewhere(
    on loop: EventLoop, _ conninfo: String, _ pool: BlockingPool, _ settings: WorldSettings,
    _ body: @escaping @Sendable (TestEnvironment) async throws -> Void
) async throws {
    for _ in 0..<20 {
        do { return try await serve(on: loop, conninfo, pool, settings, body) } catch ServerFailure.portInUse {}
    }
    Issue.record("no port stays free")
}

/// The console needs its address before its server has a port, so the port is asked for first.
private func serve(
    on loop: EventLoop, _ conninfo: String, _ pool: BlockingPool, _ settings: WorldSettings,
    _ body: @escaping @Sendable (TestEnvironment) async throws -> Void
) async throws {
    let app = Database(loop: loop, configuration: .forTests(conninfo, role: "pippin_app"))
    let system = Database(loop: loop, configuration: .forTests(conninfo, role: "pippin_system"))
    let client = try HTTPClient(on: loop, Outgoing.checkOptions)
    let outgoing = try Outgoing(on: loop, checks: client, notifications: client)
    let names = try TestNameServer(on: loop)
    var asking = Resolver.Options()
    asking.servers = [names.address]
    let resolver = try Resolver(on: loop, asking)
    app.open()
    system.open()
    defer {
        app.close()
        system.close()
        outgoing.close()
        client.close()
        resolver.close()
        names.close()
    }
    let port = try await freePort(on: loop)
    let publicURL = "http://127.0.0.1:\(port)"
    let checks = RegistryChecks(TeamDatabase(app), client: outgoing.checks, resolver: resolver, allowsLoopback: true)
    let clock: @Sendable () -> Timestamp = { .now() }
    let service = TestEnvironment.apple(at: publicURL)
    let keys = AppleKeySet(of: service, on: loop, client: outgoing.apple, clock: clock)
    let apple = AppleProvider(service, keys: keys, client: outgoing.apple, clock: clock)
    let parts = try parts(
        publicURL, TeamDatabase(app), SystemDatabase(system), checks, apple, outgoing.installation, pool, loop, settings
    )
    let console = try Console(parts)
    var router = Router()
    let signIn = try signIn(parts, apple)
    let script = Script(extraKey: try RSASigningKey.generate(bits: 2048))
    router.get(Route("/healthz")) { _ in .text("ok\n") }
    signIn.mount(on: &router)
    try TestEnvironment.simulator(parts, signIn, script).mount(on: &router)
    let routes = console.routes(on: router)
    let application = Application(routes: try routes.router.frozen()) { refusal, request in
        console.respond(to: refusal, request) ?? refusal.response
    }
    let options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: port)
    let server = try await Server.start(application, options, on: [loop])[0]
    let environment = TestEnvironment(
        conninfo: conninfo, publicURL: publicURL, parts: parts, mounted: routes.mounted,
        addresses: routes.router.addresses, client: outgoing.installation, loop: loop, names: names,
        databases: [app, system], script: script)
    let result: Result<Void, any Error>
    do { result = .success(try await body(environment)) } catch { result = .failure(error) }
    await server.stop(within: .milliseconds(100))
    try result.get()
}

private func freePort(on loop: EventLoop) async throws -> UInt16 {
    let options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
    let server = try await Server.start(Application(routes: try Router().frozen()), options, on: [loop])[0]
    await server.stop(within: .zero)
    return server.port
}

private func parts(
    _ publicURL: String, _ database: TeamDatabase, _ system: SystemDatabase, _ checks: RegistryChecks,
    _ apple: AppleProvider, _ client: HTTPClient, _ pool: BlockingPool, _ loop: EventLoop, _ settings: WorldSettings
) throws -> Console.Parts {
    let keyRing = KeyRing(current: try MasterKey.generate(id: "test"))
    let server = ServerContext(publicURL: publicURL, relayDomain: "relay.example", keyRing: keyRing, sendsMail: false)
    let teams = TeamCache(loop: loop, database: database, server: server)
    let script = try #require(SafeURL(vetted: "/pippin.js"))
    let assets = AssetLinks(
        css: "/pippin.css", js: script, exit: script, factors: script, logo: "/pippin.svg", icons: "/icons.svg")
    return try Console.Parts(
        site: Site(publicURL: publicURL, pages: repositoryPages.get(), assets: assets, keyRing: keyRing),
        server: server, database: database, system: system, sessions: SessionStore(database),
        mail: MailQueue(JobQueue(database, bell: JobSignal()), keyRing: keyRing),
        gate: factors(database, system, server, settings.sparesRoles).gate,
        hasher: PasswordHasher(pool: pool, judges: pool, argon2id: Argon2id(memoryKiB: 8, passes: 1)),
        testSignIns: TestSignInStore(database: database, keyRing: keyRing), checks: checks, apple: apple,
        client: client, certificateFile: settings.certificateFile.map { CertificateFile($0) { nil } },
        lacksProxy: false, standIn: TestEnvironment.standIn(database, keyRing, teams), teams: teams,
        traces: TraceRecorder(loop: loop, database: database, server: server, allowances: TraceQuotas()),
        jobs: JobQueue(database, bell: JobSignal()), registryChanged: { teams.forget($0) }, pool: pool,
        log: Log(threshold: .error) { line in
            Issue.record("the console failed: \(String(decoding: line, as: UTF8.self))")
        })
}

private func factors(_ database: TeamDatabase, _ system: SystemDatabase, _ server: ServerContext, _ sparesRoles: Bool)
    -> SecondFactors
{ SecondFactors(database, rights: AccountRightsStore(system), server: server, sparesRoles: sparesRoles) }

/// The hosted pages beside the console, for what leads through both.
private func signIn(_ parts: Console.Parts, _ apple: AppleProvider) throws -> Hosted {
    try Hosted(
        Hosted.Parts(
            site: parts.site, server: parts.server, teams: parts.teams, database: parts.database,
            testSignIns: parts.testSignIns, passwords: PasswordSignIn(parts.database, hasher: parts.hasher),
            hasher: parts.hasher, sessions: parts.sessions,
            factors: factors(parts.database, parts.system, parts.server, true),
            consents: ConsentStore(parts.database, relay: try #require(RelayDomain("relay.example"))),
            limits: InteractionLimits(),
            mail: MailQueue(JobQueue(parts.database, bell: JobSignal()), keyRing: parts.server.keyRing),
            traces: parts.traces, apple: apple, log: parts.log))
}

extension Console.Parts {
    /// Writes what the sign-in traces have buffered.
    func finishTraces() async throws { try await #require(traces as? TraceRecorder).finish() }
}
