import Bytes
import Crypto
import Directory
import Domain
import EventLoop
import Federation
import HTTPClient
import Jobs
import Log
import Mail
import OAuth
import Postgres
import SignInTrace
import Simulator
import Synchronization
import Templates
import Tenancy
import TestDatabase
import Testing
import Web

@testable import HTTP
@testable import Hosted
@testable import TestTeams

/// The addresses of both teams on 127.0.0.1, and what the server wrote about them.
struct TestSite: Sendable {
    let teams: TestTeams
    let port: UInt16
    let lines: Lines
    /// Where passwords are hashed.
    let pool: BlockingPool
    /// Where new passwords are judged.
    let judges: BlockingPool
    /// The patterns of all addresses that take a form.
    let posts: [String]
    /// What Apple's stand-in does, which answers at the same port.
    let script: Script

    func browser() -> Browser { Browser(port: port) }

    /// Sends one request that needs no browser.
    func ask(_ method: String, _ path: String, _ fields: [String] = [], body: String? = nil) throws -> Answer {
        try Exchange(port: port, method, path, fields, body: body).answer()
    }

    /// A form post as an app sends it to a protocol endpoint of Acme.
    func post(_ path: String, _ form: [String: String?], _ fields: [String] = []) throws -> Answer {
        let values = form.compactMapValues { $0 }.sorted { $0.key < $1.key }
        return try ask(
            "POST", path, ["Content-Type: application/x-www-form-urlencoded"] + fields,
            body: FormCoding.encode(values.map { (name: $0.key, value: $0.value) }))
    }

    /// What a web app sends to redeem a code.
    func redemption(of code: String, client: ClientID = .web) throws -> [String: String?] {
        [
            "client_id": client.rawValue, "client_secret": try teams.secret(of: client),
            "grant_type": "authorization_code", "code": code, "redirect_uri": TestTeams.callback,
        ]
    }

    /// Lines of the log, and requests that have ended.
    final class Lines: Sendable {
        private let log = Mutex<[String]>([])
        private let requests = Mutex<[RequestID: String]>([:])

        var all: [String] { log.withLock { $0 } }
        var targets: [RequestID: String] { requests.withLock { $0 } }

        func append(_ line: [UInt8]) { log.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }

        func note(_ request: Request) {
            let query = String(decoding: request.queryBytes, as: UTF8.self)
            let target = query.isEmpty ? request.path : "\(request.path)?\(query)"
            requests.withLock { $0[request.id] = target }
        }
    }
}

/// Lends `body` a site of its own; the body has a thread to itself, since its clients block.
///
/// - Parameter haste: how many times faster than usual Apple's stand-in is late, and patience with it ends.
func withSite(
    limits: InteractionLimits = InteractionLimits(), speedup: Int = 1, isAtApple: Bool = false,
    _ body: (TestSite) async throws -> Void
) async throws {
    try await withTeamsBeside(isAtApple: isAtApple) { teams in
        let pool = try BlockingPool(name: "hash", threads: 1, queueLimit: 64)
        let judges = try BlockingPool(name: "judges", threads: 1, queueLimit: 64)
        defer {
            pool.stop()
            judges.stop()
        }
        let lines = TestSite.Lines()
        let configuration = Database.Configuration.forTests(teams.conninfo, role: "pippin_system")
        let system = Database(loop: teams.loop, configuration: configuration)
        try await teams.loop.run { system.open() }
        let port = try await freePort(on: teams.loop)
        let site = try await teams.loop.run {
            try SiteParts(
                teams: teams, system: system, pool: pool, judges: judges, limits: limits, lines: lines,
                script: Script(extraKey: TestKeys.extra, delays: .hastened(speedup)),
                client: HTTPClient(on: teams.loop), port: port, timeout: .hastened(speedup))
        }
        let (application, posts) = try await teams.loop.run { (try site.application(), try site.posts()) }
        let options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: port)
        let server = try await Server.start(application, options, on: [teams.loop])[0]
        let clients = try EventLoop(name: "clients")
        try clients.start()
        defer { clients.stop() }
        let test = TestSite(
            teams: teams, port: server.port, lines: lines, pool: pool, judges: judges, posts: posts, script: site.script
        )
        let result: Result<Void, any Error>
        do { result = .success(try await withTaskExecutorPreference(clients) { try await body(test) }) } catch {
            result = .failure(error)
        }
        try await teams.loop.run {
            await server.stop(within: .milliseconds(100))
            site.client.close()
            system.close()
        }
        try result.get()
    }
}

/// A port that nobody listens on, for what must know its address before it listens.
///
/// Not one that the kernel would give: until it is listened on again, any connection of this machine might be given it.
private func freePort(on loop: EventLoop) async throws -> UInt16 {
    let address = try #require(IPAddress("127.0.0.1"))
    let application = Application(routes: try Router().frozen())
    for _ in 0..<100 {
        let options = ServerOptions(address: address, port: .random(in: 20_000..<32_000))
        guard let server = try? await Server.start(application, options, on: [loop])[0] else { continue }
        try await loop.run { await server.stop(within: .zero) }
        return server.port
    }
    throw TestFailure("no port is free")
}

/// What a site is made of, put together as the server does it.
private struct SiteParts: Sendable {
    let teams: TestTeams
    let system: Database
    let pool: BlockingPool
    let judges: BlockingPool
    let limits: InteractionLimits
    let lines: TestSite.Lines
    let script: Script
    let client: HTTPClient
    let port: UInt16
    let timeout: AppleService.Timeouts

    func application() throws -> Application {
        let lines = lines
        let signIn = try signIn()
        var router = Router()
        signIn.mount(on: &router)
        try simulator(signIn).mount(on: &router)
        return Application(
            routes: try router.frozen(), decorate: { refusal, request in signIn.respond(to: refusal, request) },
            finished: { lines.note($0.request) })
    }

    func posts() throws -> [String] {
        var router = Router()
        try signIn().mount(on: &router)
        return router.entries.filter { $0.method == .post }.map(\.pattern.text)
    }

    private func simulator(_ signIn: Hosted) throws -> Simulator {
        let parts = Simulator.Parts(
            site: try site(), server: teams.server,
            teams: TeamCache(loop: teams.loop, database: teams.database, server: teams.server),
            database: teams.database,
            traces: TraceRecorder(
                loop: teams.loop, database: teams.database, server: teams.server, allowances: TraceQuotas()),
            hosted: signIn)
        return try Simulator(parts, script: script)
    }

    private var apple: AppleProvider {
        let service = AppleService(
            issuer: teams.server.base(of: .appleSide), base: "http://127.0.0.1:\(port)/apple",
            addresses: .publicAndLoopback, timeouts: timeout)
        let keys = AppleKeySet(of: service, on: teams.loop, client: client, clock: teams.server.clock)
        return AppleProvider(service, keys: keys, client: client, clock: teams.server.clock)
    }

    /// That of the teams, with a log that the test reads.
    private func context(_ log: Log) -> ServerContext {
        ServerContext(
            publicURL: teams.server.publicURL, relayDomain: teams.server.relayDomain, keyRing: teams.server.keyRing,
            sendsMail: teams.server.sendsMail, random: teams.server.random, clock: teams.server.clock, log: log)
    }

    private func signIn() throws -> Hosted {
        let lines = lines
        let log = Log(threshold: .debug) { lines.append($0) }
        let hasher = PasswordHasher(pool: pool, judges: judges, argon2id: TestTeams.argon2id)
        return try Hosted(
            Hosted.Parts(
                site: try site(), server: teams.server,
                teams: TeamCache(loop: teams.loop, database: teams.database, server: teams.server),
                database: teams.database, testSignIns: teams.testSignIns,
                passwords: PasswordSignIn(teams.database, hasher: hasher), hasher: hasher, sessions: teams.sessions,
                factors: SecondFactors(
                    teams.database, rights: AccountRightsStore(SystemDatabase(system)), server: teams.server,
                    sparesRoles: false), consents: try teams.consents(), limits: limits,
                mail: MailQueue(JobQueue(teams.database, bell: JobSignal()), keyRing: teams.server.keyRing),
                traces: TraceRecorder(
                    loop: teams.loop, database: teams.database, server: context(log), allowances: TraceQuotas()),
                apple: apple, log: log))
    }

    /// Read once for all sites: that takes longer than most tests.
    private static let pages = Result {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try Pages(folder: root + "/Templates", texts: root + "/Texts", isWatching: false)
    }

    private func site() throws -> Site {
        let assets = AssetLinks(
            css: "/assets/pippin.css", js: SafeURL(literal: "/assets/pippin.js"),
            exit: SafeURL(literal: "/assets/exit.js"), factors: SafeURL(literal: "/assets/factors.js"),
            logo: "/assets/pippin.svg", icons: "/assets/icons.svg")
        return Site(
            publicURL: teams.server.publicURL, pages: try Self.pages.get(), assets: assets,
            keyRing: teams.server.keyRing)
    }
}
