import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import HTTP

/// A server on 127.0.0.1 with a loop of its own, for the length of one test.
struct TestServer {
    let server: Server
    let loop: EventLoop
    let finished: FinishedList

    /// A body longer than what the kernel keeps for a client that reads nothing.
    static let large = [UInt8](repeating: 0x61, count: 12 << 20)

    var port: UInt16 { server.port }

    func client() throws -> RawClient { try RawClient(port: port) }

    /// A client that has sent this already.
    func client(sending text: String) throws -> RawClient { try client(sending: Array(text.utf8)) }

    func client(sending octets: [UInt8]) throws -> RawClient {
        let client = try client()
        try client.send(octets)
        return client
    }

    /// Sends one request on a connection of its own and reads the answer.
    func ask(_ request: String, hasBody: Bool = true) throws -> RawAnswer {
        try client(sending: request).readAnswer(hasBody: hasBody)
    }

    func get(_ target: String, _ fields: String = "") throws -> RawAnswer {
        try ask("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
    }

    /// How many connections the server holds.
    func connectionCount() async throws -> Int { try await loop.run { [server] in server.connections.count } }

    /// How many connections are in that phase.
    func count(in phase: Connection.Phase) async throws -> Int {
        try await loop.run { [server] in server.connections.count { $0.phase == phase } }
    }

    /// How many requests wait for handlers that have suspended.
    func underWay() async throws -> Int { try await count(in: .suspension) }

    /// Lets so much time pass for the time-outs of the server, whose clock stands otherwise.
    func pass(_ time: Duration) async throws {
        try await loop.run { [server] in
            // A time-out ends with the second sweep after its time.
            for _ in 0..<Int(time / server.options.sweepInterval) + 2 { server.sweepOnce() }
        }
    }

    /// Lets the server deal with all that has reached it.
    func settle() async throws { for _ in 0..<20 { try await loop.run {} } }

    /// Begins to stop the server; the test goes on meanwhile.
    func beginStop(within timeout: Duration) -> Task<Void, Never> {
        Task.detached(executorPreference: loop) { [server] in await server.stop(within: timeout) }
    }
}

/// What was reported as finished, for tests to look at.
final class FinishedList: Sendable {
    struct Line: Sendable {
        let pattern: String?
        let method: Method
        let status: Int?
        let wasSent: Bool
        let duration: Duration
        let work: Duration
    }

    private let lines = Mutex<[Line]>([])

    func append(_ finished: FinishedRequest) {
        let line = Line(
            pattern: finished.request.routePattern, method: finished.request.method,
            status: finished.status.map { Int($0.code) }, wasSent: finished.wasSent, duration: finished.duration,
            work: finished.work)
        lines.withLock { $0.append(line) }
    }

    var all: [Line] { lines.withLock { $0 } }

    /// Waits until `count` lines are there.
    func wait(for count: Int) async throws -> [Line] {
        try await waitUntil { all.count >= count }
        return all
    }
}

/// Runs `body` against a server with the routes that `declare` adds; no time-out of it ends before `body` lets time pass,
/// unless it `isTimed`.
///
/// The body has a thread of its own: its clients block, and must not do so on the threads that all tests share.
func withServer(
    isTimed: Bool = false, options change: (inout ServerOptions) -> Void = { _ in },
    decorate: (@Sendable (HTTPError, Request) -> Response)? = nil, routes declare: (inout Router) -> Void,
    _ body: (TestServer) async throws -> Void
) async throws {
    var router = Router()
    declare(&router)
    let finished = FinishedList()
    var application = Application(routes: try router.frozen(), finished: { finished.append($0) })
    if let decorate { application.decorate = decorate }
    var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
    for timeout in [\ServerOptions.headTimeout, \.keepAlive, \.bodyTimeout, \.answerTimeout, \.sendTimeout] {
        options[keyPath: timeout] = .testTimeout
    }
    change(&options)
    let loop = try EventLoop(name: "server")
    let clients = try EventLoop(name: "clients")
    for loop in [loop, clients] { try loop.start() }
    defer { for loop in [loop, clients] { loop.stop() } }
    let server = try await Server.start(application, options, on: [loop])[0]
    if !isTimed { try await loop.run { server.sweep?.cancel() } }
    let result: Result<Void, any Error>
    do {
        let test = TestServer(server: server, loop: loop, finished: finished)
        result = .success(try await withTaskExecutorPreference(clients) { try await body(test) })
    } catch { result = .failure(error) }
    try await loop.run { await server.stop(within: .zero) }
    try result.get()
}

/// The same with one route, at which it says that it is here.
func withServer(options change: (inout ServerOptions) -> Void = { _ in }, _ body: (TestServer) async throws -> Void)
    async throws
{ try await withServer(options: change, routes: { $0.get(Route("/")) { _ in .text("here") } }, body) }
