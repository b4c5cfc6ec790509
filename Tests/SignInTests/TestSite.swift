import Accounts
import Core
import Directory
import EventLoop
import Federation
import OAuth
import Platform
import Postgres
import Simulator
import Synchronization
import Templates
import TestDatabase
import TestSupport
import Testing

@testable import HTTP
@testable import SignIn
@testable import TestTeams

/// The addresses of both teams on 127.0.0.1, and what the server wrote about them.
struct TestSite: OwnedDatabase, Sendable {
    let teams: TestTeams
    let port: UInt16
    let lines: Lines
    /// Where passwords are hashed.
    let pool: BlockingPool
    /// Where new passwords are judged.
    let judges: BlockingPool
    /// The patterns of all addresses that take a form.
    let posts: [String]
    /// What the Apple simulator does, which answers at the same port.
    let script: Script
    /// What calls Apple.
    let client: HTTPClient
    /// What writes of sign-ins into the inspector, ours and the simulator's.
    let recorders: [TraceRecorder]

    /// That of the test that runs.
    @TaskLocal static var lent: TestSite?

    var conninfo: String { teams.conninfo }
    var clock: TestClock { teams.clock }

    /// - Parameter source: last number of its address, 127.0.0.x.
    func browser(from source: UInt8 = 1) -> Browser { Browser(port: port, from: source) }

    /// A browser in which somebody has signed in to their own page.
    func signedIn(as email: String = "ada@acme.example", from source: UInt8 = 1) throws -> Browser {
        let browser = browser(from: source)
        try browser.openOwnPage(as: email)
        return browser
    }

    /// A browser in which Ada has signed in to the web app.
    func consented() throws -> Browser {
        let browser = browser()
        _ = try browser.consent()
        return browser
    }

    /// Locks Ada's password by ten wrong guesses, as strangers do: the right one is refused them, too.
    func lockPassword(_ password: String = People.password) throws {
        let stranger = browser()
        let page = try stranger.get(Browser.authorize())
        for _ in 0..<10 { _ = try stranger.signIn(page, password: "wrong") }
        #expect(try stranger.signIn(page, password: password).status == 429)
    }

    /// How often Apple was asked there.
    func calls(to place: Place) -> Int { lines.targets.values.count { $0.hasSuffix("/apple/auth/\(place)") } }

    /// Sends one request that needs no browser.
    func ask(_ method: String, _ path: String, _ fields: [String] = [], body: String? = nil) throws -> Answer {
        try Exchange(port: port, method, path, fields, body: body).answer()
    }

    static let form = "Content-Type: application/x-www-form-urlencoded"
    /// What a browser says of a form of ours.
    static let ownOrigin = ["Origin: \(TestTeams.publicURL)", "Sec-Fetch-Site: same-origin"]

    /// A form post as an app sends it to a protocol endpoint of Acme.
    func post(_ path: String, _ form: [String: String?], _ fields: [String] = []) throws -> Answer {
        let values = form.compactMapValues { $0 }.sorted { $0.key < $1.key }
        return try ask(
            "POST", path, [Self.form] + fields, body: FormCoding.encode(values.map { (name: $0.key, value: $0.value) }))
    }

    /// What a web app sends to redeem a code.
    func redemption(of code: String, client: ClientID = .web) throws -> [String: String?] {
        [
            "client_id": client.rawValue, "client_secret": try teams.secret(of: client),
            "grant_type": "authorization_code", "code": code, "redirect_uri": TestTeams.callback,
        ]
    }

    /// The tokens that the web app gets for the code of an exit page.
    func redeem(_ exit: Answer) throws -> Answer {
        try post("/t/ACMETEAM01/auth/token", try redemption(of: try #require(exit.value(of: "code"))))
    }

    /// Lines of the log, and requests that have ended.
    final class Lines: Sendable {
        private let log = Mutex<[String]>([])
        private let requests = Mutex<[RequestID: String]>([:])

        var all: [String] { log.withLock { $0 } }
        var targets: [RequestID: String] { requests.withLock { $0 } }

        func forget() { log.withLock { $0 = [] } }

        func append(_ line: [UInt8]) { log.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }

        func note(_ request: Request) {
            let query = String(decoding: request.queryBytes, as: UTF8.self)
            let target = query.isEmpty ? request.path : "\(request.path)?\(query)"
            requests.withLock { $0[request.id] = target }
        }
    }
}

/// Lends `body` a site of its own; the body has a thread to itself, since its clients block.
func withSite(
    limits: [String: Int] = [:], isAtApple: Bool = false, deadlines: AppleService.Timeouts = .onlyWhatHangs,
    _ body: (TestSite) async throws -> Void
) async throws {
    try await withTeamsBeside(isAtApple: isAtApple) { teams in
        let teams = teams.limited(limits)
        let pool = try BlockingPool(name: "hash", threads: 1, queueLimit: 64)
        let judges = try BlockingPool(name: "judges", threads: 1, queueLimit: 64)
        defer {
            pool.stop()
            judges.stop()
        }
        let lines = TestSite.Lines()
        let configuration = DatabaseConfiguration.forTests(teams.conninfo, role: "pippin_system")
        let (system, client) = try await teams.loop.run {
            let system = Database(loop: teams.loop, configuration: configuration)
            system.open()
            return (system, try HTTPClient(on: teams.loop))
        }
        let script = Script(extraKey: TestKeys.extra, holds: true)
        let (site, server) = try await start(on: teams.loop) { port in
            SiteParts(
                teams: teams, system: system, pool: pool, judges: judges, lines: lines, script: script, client: client,
                deadlines: deadlines, port: port)
        }
        let posts = try await teams.loop.run { try site.posts() }
        let clients = try EventLoop(name: "clients")
        try clients.start()
        defer { clients.stop() }
        let test = TestSite(
            teams: teams, port: server.port, lines: lines, pool: pool, judges: judges, posts: posts, script: script,
            client: client, recorders: [site.recorder, site.recorderOfApple])
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await withTaskExecutorPreference(clients) {
                    try await TestSite.$lent.withValue(test) { try await body(test) }
                })
        } catch { result = .failure(error) }
        for place in Place.allCases { script.release(place) }
        try await teams.loop.run {
            await server.stop(within: .milliseconds(100))
            for recorder in test.recorders { await recorder.finish() }
            client.close()
            system.close()
        }
        try result.get()
    }
}

/// Starts what must know its address before it listens, at a port that is free.
///
/// Not at one that the kernel would give: that is known too late.
private func start(on loop: EventLoop, _ parts: (UInt16) async throws -> SiteParts) async throws -> (SiteParts, Server)
{
    let address = try #require(IPAddress("127.0.0.1"))
    for _ in 0..<100 {
        var options = ServerOptions(address: address, port: .random(in: 20_000..<32_000))
        (options.headTimeout, options.bodyTimeout, options.keepAlive) = (.testTimeout, .testTimeout, .testTimeout)
        (options.answerTimeout, options.sendTimeout) = (.testTimeout, .testTimeout)
        let site = try await parts(options.port)
        let application = try await loop.run { try site.application() }
        do { return (site, try await Server.start(application, options, on: [loop])[0]) } catch ServerFailure.portInUse
        { continue }
    }
    throw TestFailure("no port is free")
}

/// What a site is made of, put together as the server does it.
private struct SiteParts: Sendable {
    let teams: TestTeams
    let system: Database
    let pool: BlockingPool
    let judges: BlockingPool
    let lines: TestSite.Lines
    let script: Script
    let client: HTTPClient
    let deadlines: AppleService.Timeouts
    let port: UInt16
    let recorder: TraceRecorder
    let recorderOfApple: TraceRecorder

    /// Made on the loop.
    init(
        teams: TestTeams, system: Database, pool: BlockingPool, judges: BlockingPool, lines: TestSite.Lines,
        script: Script, client: HTTPClient, deadlines: AppleService.Timeouts, port: UInt16
    ) {
        (self.teams, self.system, self.pool, self.judges) = (teams, system, pool, judges)
        (self.lines, self.script, self.client) = (lines, script, client)
        (self.deadlines, self.port) = (deadlines, port)
        let log = Log(threshold: .debug) { lines.append($0) }
        recorder = Self.recorder(of: teams, Self.context(teams, log))
        recorderOfApple = Self.recorder(of: teams, teams.server)
    }

    private static func recorder(of teams: TestTeams, _ server: ServerContext) -> TraceRecorder {
        TraceRecorder(loop: teams.loop, database: teams.database, server: server)
    }

    func application() throws -> Application {
        let lines = lines
        let signIn = try SignIn(services(recorder))
        var router = Router()
        signIn.mount(on: &router)
        try Simulator(services(recorderOfApple), signIn: signIn, script: script).mount(on: &router)
        return Application(
            routes: try router.frozen(), decorate: { refusal, request in signIn.respond(to: refusal, request) },
            finished: { lines.note($0.request) })
    }

    func posts() throws -> [String] {
        var router = Router()
        try SignIn(services(recorder)).mount(on: &router)
        return router.entries.filter { $0.method == .post }.map(\.pattern.text)
    }

    private var apple: AppleProvider {
        let service = AppleService(teams, port: port, deadlines)
        let keys = AppleKeySet(of: service, on: teams.loop, client: client, clock: teams.server.clock)
        return AppleProvider(service, keys: keys, client: client, clock: teams.server.clock)
    }

    /// That of the teams, with a log that the test reads.
    private static func context(_ teams: TestTeams, _ log: Log) -> ServerContext {
        ServerContext(
            publicURL: teams.server.publicURL, relayDomain: teams.server.relayDomain, keyRing: teams.server.keyRing,
            sendsMail: teams.server.sendsMail, random: teams.server.random, clock: teams.server.clock, log: log)
    }

    private func services(_ recorder: TraceRecorder) throws -> Services {
        let lines = lines
        return Services(
            site: try site(), server: teams.server, database: teams.database, system: SystemDatabase(system),
            teams: TeamCache(loop: teams.loop, database: teams.database, server: teams.server), traces: recorder,
            jobs: JobQueue(teams.database, bell: JobSignal()),
            hasher: PasswordHasher(pool: pool, judges: judges, argon2id: TestTeams.argon2id),
            relay: try #require(RelayDomain(TestTeams.relayDomain)), apple: apple, sparesRoles: false,
            log: Log(threshold: .debug) { lines.append($0) })
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
            webScript: Array("(function (team) {})".utf8), keyRing: teams.server.keyRing)
    }
}
