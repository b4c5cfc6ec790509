import Accounts
import CFuzzer
import Core
import Crypto
import Directory
import EventLoop
import Glibc
import OAuth
import Platform
import Postgres
import Registry
import SignIn
import TestDatabase

@testable import pippin

/// Users that send requests.
enum Person: String, CaseIterable { case nobody, owner, `operator`, ada }

/// The whole product in this process, as `pippin serve --demo --simulate-apple`, with a temporary database.
final class Site {
    static let team = "DEMOTEAM01"

    let port: UInt16
    let process: ServerProcess
    let demo: Demo
    let log: LogReader
    let client: Client
    private let cluster: TestCluster
    private let subjects: [Person: (team: TeamID, subject: Subject)]
    private let clocks: [clockid_t]
    /// Cookies of each user's browser, created anew whenever the database is restored.
    private(set) var cookies: [Person: [(name: String, value: String)]] = [:]

    static func start() throws -> Site {
        _ = fuzz_raise_loopback()
        if fuzz_ways_out() != 0 { Files.tell("fuzz: this network leads out; made-up host names may be looked up\n") }
        let cluster = try TestCluster()
        let port = UInt16.random(in: 20_000..<32_000)
        var options = Options([
            "--listen=127.0.0.1:\(port)", "--public-url=http://localhost:\(port)", "--demo", "--simulate-apple",
            "--database=\(cluster.cluster.conninfo)", "--data=\(cluster.directory.path)/fuzz",
            "--trusted-proxy=127.0.0.1", "--log-level=error", "--connections-per-address=0", "--dns-server=127.0.0.1:9",
            "--resources=\(root)",
        ])
        guard let settings = Settings(&options) else { fatalError("\(options.problems)") }
        let log = LogReader()
        let process = try ServerProcess(
            try Installation.open(settings).0, argon2id: Argon2id(memoryKiB: 8, passes: 1), log: log.log)
        let demo = try Demo.load(process)
        let simulation = try Simulation.load(process)
        try demo.connect(to: simulation, in: process)
        try process.open(demo: demo, simulation: simulation)
        return try Site(port, process, demo, log, cluster)
    }

    private init(_ port: UInt16, _ process: ServerProcess, _ demo: Demo, _ log: LogReader, _ cluster: TestCluster)
        throws
    {
        (self.port, self.process, self.demo, self.log, self.cluster) = (port, process, demo, log, cluster)
        client = Client(port: port)
        clocks = try process.loops.map { loop in
            try loop.wait {
                var clock = clockid_t()
                _ = unsafe pthread_getcpuclockid(pthread_self(), &clock)
                return clock
            }
        }
        subjects = try Fixtures(process: process, conninfo: cluster.cluster.conninfo).plant()
        try copy("pippin", to: "seed")
        awaken()
    }

    /// Root directory of the repository.
    static var root: String { Environment.value("FUZZ_ROOT") ?? "." }
    var authority: String { "localhost:\(port)" }
    var origin: String { "http://\(authority)" }
    var base: String { "\(origin)/t/\(Self.team)" }

    /// CPU time of each loop so far, in nanoseconds.
    func work() -> [Int] {
        clocks.map { clock in
            var time = timespec()
            _ = unsafe clock_gettime(clock, &time)
            return time.tv_sec * 1_000_000_000 + time.tv_nsec
        }
    }

    /// Values that only these users may know.
    var secrets: [String] { cookies.values.joined().map(\.value) + [Fixtures.password] }

    /// The user's subject in its team.
    func subject(of person: Person) -> String { subjects[person]?.subject.rawValue ?? "" }

    /// Whether the server answers a request that every client may send.
    var isAlive: Bool {
        let ping = "GET /healthz HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
        return client.send(RawRequest(bytes: Array(ping.utf8), isOurs: true)).status == 200
    }

    /// A team as it is registered now, with its signing keys.
    func snapshot(of team: String) -> TeamSnapshot? {
        let worker = process.loopServices[0]
        guard let id = TeamID(rawValue: team) else { return nil }
        return try? worker.loop.wait { try await worker.teams.snapshot(of: id) }
    }

    /// The problems of a registry file, found by a dry run; nil if it is not refused.
    func plan(_ octets: [UInt8]) -> [UInt8]? {
        guard let file = try? RegistryFile(parsing: octets, load: { _ in [] }) else { return nil }
        var options = ApplyOptions()
        options.isDryRun = true
        let (provisioner, loop) = (process.provisioner, process.loops[0])
        do {
            let report = try loop.wait { [options] in try await provisioner.apply(file, options) }
            guard case .refused(let problems) = report.outcome else { return nil }
            return Array(problems.map { "\($0)" }.joined(separator: "\n").utf8)
        } catch { fatalError("a registry file cannot be planned: \(error)") }
    }
}

// Restoring the database.
extension Site {
    /// Restores the database to its state at the start.
    func restore() {
        client.close()
        do { try copy("seed", to: "pippin") } catch { fatalError("the database cannot be restored: \(error)") }
        awaken()
    }

    /// Waits until every loop is connected to the database again.
    private func awaken() {
        for _ in 0..<8000 {
            let workers = process.loopServices
            let isReady = workers.allSatisfy { worker in (try? worker.loop.wait { worker.isReady }) ?? false }
            if isReady, begin() { return }
            usleep(5000)
        }
        fatalError("the database does not come back")
    }

    private func copy(_ source: String, to target: String) throws {
        let connection = try AdminConnection(to: cluster.cluster.conninfo(database: "postgres"))
        // An open connection prevents copying a database, and connections are reopened at once.
        for statement in [
            "ALTER DATABASE \(source) ALLOW_CONNECTIONS false",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(source)'",
            "DROP DATABASE IF EXISTS \(target) WITH (FORCE)", "CREATE DATABASE \(target) TEMPLATE \(source)",
            "ALTER DATABASE \(source) ALLOW_CONNECTIONS \(source == "pippin")",
            "ALTER DATABASE \(target) ALLOW_CONNECTIONS \(target == "pippin")",
        ] { try connection.execute(statement) }
    }

    /// Creates new sessions, and clears the caches of teams.
    @discardableResult private func begin() -> Bool {
        let names = CookieNames(isSecure: false)
        for worker in process.loopServices {
            let teams = [Self.team, "APPLESIM00", "ZQRIVALT01"].compactMap(TeamID.init(rawValue:))
            _ = try? worker.loop.wait { for team in teams { worker.teams.forget(team) } }
        }
        let worker = process.loopServices[0]
        cookies[.nobody] = []
        for (person, (team, subject)) in subjects {
            let sessions = SessionStore(TeamDatabase(worker.app))
            guard
                let token = try? worker.loop.wait(for: {
                    try await sessions.begin(for: subject, in: team, from: .local)
                })
            else { return false }
            cookies[person] = [
                (names.session(of: team), token.text), (names.browser, Base64URL.encode(RandomSource.system.bytes(16))),
            ]
        }
        log.secrets = secrets
        return true
    }
}
