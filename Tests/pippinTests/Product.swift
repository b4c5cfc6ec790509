import Accounts
import Core
import Crypto
import Directory
import EventLoop
import Glibc
import OAuth
import Platform
import Postgres
import SignIn
@_exported import TestDatabase
import TestSupport
import Testing

@testable import HTTP
@testable import pippin

/// The whole product in this process, as `pippin serve --demo --simulate-apple` runs it, with one loop and a database of its
/// own; nothing of it touches the signals, the limits or the user of the process.
// @unchecked Sendable: handed from one test to the next by a suite that is serialized, and used by one thread at a time.
final class Product: OwnedDatabase, @unchecked Sendable {
    static let team = "DEMOTEAM01"
    static let rival = "RIVALTEAM1"

    let port: UInt16
    let process: ServerProcess
    let demo: Demo
    let log = LogLines()
    let conninfo: String
    let people: People
    private let clock: clockid_t
    private var restoration = ""
    private var sender = 0

    /// Who asks: Olive owns both teams and operates the installation; Ada is a person of the demo's.
    struct People {
        let olive: Subject
        let ada: Subject
    }

    init(conninfo: String) throws {
        self.conninfo = conninfo
        // Kept open from here on, so that nobody else can be given the port.
        let socket = try Listener.open(try #require(IPAddress("127.0.0.1")), 0, count: 1)[0]
        let port = Listener.port(of: socket)
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let folder = try TestCluster.makeDirectory().path
        var options = Options([
            "--listen=127.0.0.1:\(port)", "--public-url=http://localhost:\(port)", "--demo", "--simulate-apple",
            "--database=\(conninfo)", "--data=\(folder)", "--trusted-proxy=127.0.0.1", "--log-level=error",
            "--connections-per-address=0", "--limits=mail-by-sender=121", "--dns-server=127.0.0.1:9",
            "--resources=\(root)",
        ])
        let read = Settings(&options)
        let settings = try #require(read, "\(options.problems)")
        self.port = port
        process = try ServerProcess(
            try Installation.open(settings, .making).0, loops: 1, timeout: .testTimeout,
            argon2id: Argon2id(memoryKiB: 8, passes: 1), log: log.log)
        demo = try Demo.load(process)
        let simulation = try Simulation.load(process)
        try demo.connect(to: simulation, in: process)
        do { try process.open(demo: demo, simulation: simulation, on: [socket]) } catch {
            // Its connections belong to the threads of its loops, and end there.
            process.close()
            throw error
        }
        clock = try process.loops[0].wait {
            var clock = clockid_t()
            _ = unsafe pthread_getcpuclockid(pthread_self(), &clock)
            return clock
        }
        people = try Fixtures(process: process, conninfo: conninfo).plant()
        try awaken()
    }

    /// Stops the server; called on no loop of its own.
    func close() { process.close() }

    /// Nanoseconds for which the server's loop has computed so far, whoever else has the core meanwhile.
    var work: Int {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Statements that the loop has asked for so far.
    var statementCount: Int {
        let worker = process.loopServices[0]
        return (try? worker.loop.wait { worker.app.statementCount + worker.system.statementCount }) ?? 0
    }

    /// A browser in which Olive and Ada have just signed in.
    func browser() throws -> [String: String] {
        let names = CookieNames(isSecure: false)
        var cookies = [names.browser: Base64URL.encode(RandomSource.system.bytes(16))]
        let worker = process.loopServices[0]
        for (subject, team) in [(people.olive, TeamID.system.rawValue), (people.ada, Self.team)] {
            let (id, sessions) = (try #require(TeamID(rawValue: team)), SessionStore(TeamDatabase(worker.app)))
            let token = try worker.loop.wait { try await sessions.begin(for: subject, in: id, from: .local) }
            cookies[names.session(of: id)] = token.text
        }
        return cookies
    }

    /// The token of forms in that browser.
    func formToken(_ cookies: [String: String]) -> String {
        FormTokens(keyRing: process.server.keyRing).token(for: cookies[CookieNames(isSecure: false).browser] ?? "")
    }

    /// Counts the heavy work that a team may have done in five minutes, all but `rest`.
    func useUpHeavyWork(of team: String, butFor rest: Int = 0) throws {
        let use = RateLimit.Use(.heavyWork, by: .team, RateLimit.heavyWork.count - rest)
        let (worker, id) = (process.loopServices[0], try #require(TeamID(rawValue: team)))
        try worker.loop.wait { try await worker.database.count([use], in: id, at: .now()) }
    }

    /// An address that no limit knows yet.
    func newAddress() -> String {
        sender += 1
        return "10.\(sender >> 16 & 255).\(sender >> 8 & 255).\(sender & 255)"
    }
}

// What the database holds.
extension Product {
    /// The tables of the installation, each with the columns that somebody writes.
    private static let tables = """
        SELECT quote_ident(relname), (
            SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
            WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '')
        FROM pg_class c
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        ORDER BY relname
        """

    /// Makes what is there now what `restore` leads back to.
    func remember() throws {
        try admin("CREATE SCHEMA seed")
        var statements = ["SET LOCAL session_replication_role = replica"]
        for row in try admin(Self.tables) {
            guard let table = row[0], let columns = row[1] else { continue }
            try admin("CREATE TABLE seed.\(table) AS SELECT \(columns) FROM public.\(table)")
            statements.append("DELETE FROM public.\(table)")
            statements.append(
                "INSERT INTO public.\(table) (\(columns)) OVERRIDING SYSTEM VALUE SELECT * FROM seed.\(table)")
        }
        // One transaction: several statements in one message are.
        restoration = statements.joined(separator: "; ")
    }

    /// Makes everything as it was when it was remembered; once more where a job of the server has locked the same rows.
    func restore() throws {
        for _ in 0..<10 {
            do {
                try AdminConnection(to: conninfo).execute(restoration)
                return try awaken()
            } catch { continue }
        }
        try AdminConnection(to: conninfo).execute(restoration)
        try awaken()
    }

    /// Waits until the loop has its connections, and forgets what it knew of the life before.
    private func awaken() throws {
        let worker = process.loopServices[0]
        let teams = [Self.team, Self.rival, "APPLESIM00"].compactMap(TeamID.init(rawValue:))
        try worker.loop.wait { for team in teams { worker.teams.forget(team) } }
        try blockUntil { (try? worker.loop.wait { try await worker.teams.snapshot(of: teams[0]) }) != nil }
        try blockUntil { try worker.loop.wait { worker.missingConnection == nil } }
    }
}
