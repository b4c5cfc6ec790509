import Core
import Crypto
import Directory
import EventLoop
import Postgres
import Registry
import SignIn
import Simulator
import Synchronization
import Templates
import TestDatabase
import TestNames
import TestSupport
import TestTeams
import Testing

@testable import Accounts
@testable import Console
@testable import Federation
@testable import HTTP
@testable import OAuth
@testable import Platform

/// Runs `body` beside a running console, on its loop.
///
/// - Parameters:
///   - sparesRoles: whether roles demand no second factor, as on loopback.
///   - certificateFile: what `--tls-cert` says.
///   - searchTimeout: how long a search may run.
///   - limits: other numbers, by the names of rate limits.
///   - mailServer: what `--smtp` says.
func withEnvironment(
    sparesRoles: Bool = true, certificateFile: String? = nil, searchTimeout: Duration = .testTimeout,
    limits: [String: Int] = [:], mailServer: String? = nil, _ body: () async throws -> Void
) async throws {
    let settings = EnvironmentSettings(
        sparesRoles: sparesRoles, certificateFile: certificateFile, searchTimeout: searchTimeout, limits: limits,
        mail: MailSender.Route(
            server: mailServer.flatMap { SMTPServer($0) },
            sender: try #require(EmailAddress(rawValue: "no-reply@pippin.example")), localName: "pippin.example"))
    try await withDatabase { conninfo in
        try TestDatabase.addTeams(to: conninfo)
        let loop = try EventLoop(name: "console-test")
        try loop.start()
        defer { loop.stop() }
        let pool = try BlockingPool(name: "console-test", threads: 2, queueLimit: 128)
        defer { pool.stop() }
        try await withTaskExecutorPreference(loop) { try await serve(on: loop, conninfo, pool, settings, body) }
    }
}

/// What a test wants otherwise than the others.
private struct EnvironmentSettings: Sendable {
    let sparesRoles: Bool
    let certificateFile: String?
    let searchTimeout: Duration
    let limits: [String: Int]
    let mail: MailSender.Route

    func configuration(_ conninfo: String, role: String) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration.forTests(conninfo, role: role)
        configuration.searchTimeout = searchTimeout
        return configuration
    }

    /// The console needs its address before it is served, so `socket` listens before.
    func serverOptions(at socket: Int32, _ address: IPAddress) -> ServerOptions {
        var options = ServerOptions(address: address, port: Listener.port(of: socket))
        options.sockets = [socket]
        (options.headTimeout, options.bodyTimeout, options.keepAlive) = (.testTimeout, .testTimeout, .testTimeout)
        (options.answerTimeout, options.sendTimeout) = (.testTimeout, .testTimeout)
        return options
    }
}

private func serve(
    on loop: EventLoop, _ conninfo: String, _ pool: BlockingPool, _ settings: EnvironmentSettings,
    _ body: () async throws -> Void
) async throws {
    let app = Database(loop: loop, configuration: settings.configuration(conninfo, role: "pippin_app"))
    let system = Database(loop: loop, configuration: settings.configuration(conninfo, role: "pippin_system"))
    var calling = Outgoing.checkOptions()
    calling.deadline = .testTimeout
    let client = try HTTPClient(on: loop, calling)
    let outgoing = try Outgoing(on: loop, checks: client, notifications: client, deadline: .testTimeout)
    let names = try TestNameServer(on: loop)
    var asking = Resolver.Options()
    (asking.servers, asking.tries, asking.deadline) = ([names.address], 10, .testTimeout)
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
    let address = try #require(IPAddress("127.0.0.1"))
    let options = settings.serverOptions(at: try Listener.open(address, 0, count: 1)[0], address)
    let publicURL = "http://127.0.0.1:\(options.port)"
    let database = TeamDatabase(app, limits: LimitCounts(adjusted: settings.limits))
    let checks = RegistryChecks(database, client: outgoing.checks, resolver: resolver, allowsLoopback: true)
    // Of the present, since rows have times of the database.
    let clock = TestClock(.now())
    let server = ServerContext(
        publicURL: publicURL, relayDomain: "relay.example",
        keyRing: KeyRing(current: try MasterKey.generate(id: "test")), sendsMail: false, clock: { clock.now })
    let service = TestEnvironment.apple(at: publicURL)
    let keys = AppleKeySet(of: service, on: loop, client: outgoing.apple, clock: server.clock)
    let apple = AppleProvider(service, keys: keys, client: outgoing.apple, clock: server.clock)
    let parts = try parts(
        server, database, SystemDatabase(system), checks, apple, outgoing.installation, pool, loop, settings)
    let console = Console(parts.services, parts.options)
    var router = Router()
    // The hosted pages beside the console, for what leads through both.
    let signIn = try SignIn(parts.services)
    let script = Script(extraKey: TestKeys.extra)
    router.get(Route("/healthz")) { _ in .text("ok\n") }
    signIn.mount(on: &router)
    Simulator(parts.services, signIn: signIn, script: script).mount(on: &router)
    let routes = console.routes(on: router)
    let application = Application(routes: try routes.router.frozen()) { refusal, request in
        console.respond(to: refusal, request) ?? signIn.respond(to: refusal, request)
    }
    let running = try await Server.start(application, options, on: [loop])[0]
    let environment = TestEnvironment(
        conninfo: conninfo, publicURL: publicURL, clock: clock, parts: parts, mounted: routes.mounted,
        addresses: routes.router.addresses, client: outgoing.installation, loop: loop, names: names,
        databases: [app, system], script: script)
    let result: Result<Void, any Error>
    do { result = .success(try await TestEnvironment.$lent.withValue(environment, operation: body)) } catch {
        result = .failure(error)
    }
    await running.stop(within: .zero)
    try result.get()
}

private func parts(
    _ server: ServerContext, _ database: TeamDatabase, _ system: SystemDatabase, _ checks: RegistryChecks,
    _ apple: AppleProvider, _ client: HTTPClient, _ pool: BlockingPool, _ loop: EventLoop,
    _ settings: EnvironmentSettings
) throws -> Console.Parts {
    let (publicURL, keyRing) = (server.publicURL, server.keyRing)
    let teams = TeamCache(loop: loop, database: database, server: server)
    let script = try #require(SafeURL(vetted: "/pippin.js"))
    let assets = AssetLinks(
        css: "/pippin.css", js: script, exit: script, factors: script, logo: "/pippin.svg", icons: "/icons.svg")
    let services = Services(
        site: Site(
            publicURL: publicURL, pages: try repositoryPages.get(), assets: assets, webScript: [], keyRing: keyRing),
        server: server, database: database, system: system, teams: teams,
        traces: TraceRecorder(loop: loop, database: database, server: server),
        jobs: JobQueue(database, bell: JobSignal()),
        hasher: PasswordHasher(pool: pool, judges: pool, argon2id: Argon2id(memoryKiB: 8, passes: 1)),
        relay: try #require(RelayDomain("relay.example")), apple: apple, sparesRoles: settings.sparesRoles,
        log: Log(threshold: .error) { line in
            Issue.record("the console failed: \(String(decoding: line, as: UTF8.self))")
        })
    let mail = MailSender(
        settings.mail, client: MailClient(threads: pool), writer: try EmailRenderer(services.site.pages),
        mailbox: MailboxStore(database, keyRing: keyRing), keyRing: keyRing)
    var options = Console.Options(checks: checks, client: client, mail: mail, pool: pool)
    options.certificateFile = settings.certificateFile.map { CertificateFile($0) { nil } }
    options.simulator = try TestEnvironment.simulator(database, keyRing, teams)
    options.registryChanged = { teams.forget($0) }
    return Console.Parts(services: services, options: options)
}

extension Console.Parts {
    /// Writes what the sign-in traces have buffered.
    func finishTraces() async throws { try await #require(self.traces as? TraceRecorder).finish() }
}
