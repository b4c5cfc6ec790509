import Core
import Crypto
import EventLoop
import HTTP
import Platform
import Postgres
import Synchronization
import TestDatabase
import TestSupport
import Testing

@testable import OAuth
@testable import TestTeams

/// An app's server that takes notices, and the worker that delivers them to it.
struct AppServer: Sendable, OwnedDatabase {
    let engine: Engine
    let port: UInt16
    let inbox: Inbox
    private let makeWorker: @Sendable () -> JobWorker

    /// What came in, and what is answered.
    final class Inbox: Sendable {
        private let bodies = Mutex<[[UInt8]]>([])
        private let answers = Mutex<[Response]>([])

        var all: [[UInt8]] { bodies.withLock { $0 } }

        /// The next requests get these answers, later ones 200.
        func answer(_ responses: Response...) { answers.withLock { $0 += responses } }

        func take(_ request: Request) -> Response {
            bodies.withLock { $0.append(request.body) }
            return answers.withLock { $0.isEmpty ? Response(.ok) : $0.removeFirst() }
        }
    }

    var conninfo: String { engine.conninfo }
    var url: String { "http://127.0.0.1:\(port)/notices" }

    /// Has Ada sign in and end it again, of which the app is to be told.
    func tell() async throws { try await engine.revoke(try await engine.tokens().refreshToken) }

    /// What the app was told, in that order.
    func claims() async throws -> [Claims] {
        var claims: [Claims] = []
        for body in inbox.all {
            let payload = try JSON.decode(JSONValue.self, from: body)["payload"]?.string
            claims.append(try await engine.claims(try #require(payload)))
        }
        return claims
    }

    /// Delivers what waits until `condition` holds.
    func work(until condition: () async throws -> Bool) async throws {
        let worker = makeWorker()
        let task = Task(executorPreference: engine.teams.loop) { await worker.run() }
        try await waitUntil { try await condition() }
        await worker.stop(within: .testTimeout)
        await task.value
    }

    /// The states of all notices, the oldest first.
    func states() throws -> [String?] { try admin("SELECT state FROM notifications ORDER BY created_at").map { $0[0] } }

    /// Status, problem and excerpt of each attempt, in their order.
    func attempts() throws -> [[String?]] {
        try admin("SELECT status, problem, excerpt FROM delivery_attempts ORDER BY at, number")
    }

    fileprivate init(_ engine: Engine, port: UInt16, inbox: Inbox, makeWorker: @escaping @Sendable () -> JobWorker) {
        self.engine = engine
        self.port = port
        self.inbox = inbox
        self.makeWorker = makeWorker
    }
}

/// Lends `body` an app's server on this machine; Acme is a sandbox team, which may tell it.
///
/// - Parameter apps: the App IDs that tell it.
func withAppServer(
    of apps: [ClientID] = [.app], allowsLoopback: Bool = true,
    _ body: @escaping @Sendable (AppServer, Engine) async throws -> Void
) async throws {
    try await withEngine { engine in
        let (teams, loop) = (engine.teams, engine.teams.loop)
        try teams.setMode("sandbox")
        let inbox = AppServer.Inbox()
        var router = Router()
        router.post(Route("/notices")) { request in inbox.take(request) }
        var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
        // A handler takes as long as the test has it take.
        options.answerTimeout = .testTimeout
        let server = try await Server.start(Application(routes: try router.frozen()), options, on: [loop])[0]
        var calling = HTTPClient.Options()
        calling.gate = teams.server.gate
        let client = try HTTPClient(on: loop, calling)
        let system = Database(loop: loop, configuration: .forTests(teams.conninfo, role: "pippin_system"))
        system.open()
        // A worker that has stopped does not begin again.
        let app = AppServer(engine, port: server.port, inbox: inbox) {
            worker(for: engine, client, system, allowsLoopback: allowsLoopback)
        }
        let result: Result<Void, any Error>
        do {
            for id in apps { try app.setNotificationURL(app.url, of: id) }
            result = .success(try await body(app, engine))
        } catch { result = .failure(error) }
        client.close()
        system.close()
        await server.stop(within: .milliseconds(50))
        try result.get()
    }
}

private func worker(for engine: Engine, _ client: HTTPClient, _ system: Database, allowsLoopback: Bool) -> JobWorker {
    let teams = engine.teams
    var handlers = JobHandlers()
    NotificationDelivery(
        server: teams.server, database: teams.database,
        teams: TeamCache(loop: teams.loop, database: teams.database, server: teams.server), client: client,
        allowsLoopback: allowsLoopback
    ).register(in: &handlers)
    var options = JobWorker.Options()
    options.pollInterval = .milliseconds(50)
    return JobWorker(
        on: teams.loop, teams.database, system: SystemDatabase(system), handlers: handlers, bell: JobSignal(),
        options: options, log: Log(threshold: .error) { _ in })
}
