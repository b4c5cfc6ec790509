import EventLoop
import HTTP
import Synchronization
import TestSockets
import TestSupport
import Testing

@testable import Platform

/// Calls to servers that teams name, and to Apple for teams.
@Suite struct `Calls of teams` {
    /// A loop's clients, and a server that never answers at `/hang`.
    private struct Site: Sendable {
        let outgoing: Outgoing
        let loop: EventLoop
        let port: UInt16
        let hanging: Hanging

        func request(_ path: String, of owner: String? = nil, at host: String = "127.0.0.1") -> ClientRequest {
            ClientRequest(
                "GET", "http://\(host):\(port)\(path)", deadline: .testTimeout, addresses: .publicAndLoopback,
                owner: owner)
        }

        /// Begins calls that nobody answers, to several hosts: a client has so many connections to one.
        func hang(_ count: Int, of owner: String? = nil, by client: HTTPClient) -> [Task<Void, Never>] {
            (0..<count).map { number in
                let call = request("/hang", of: owner, at: "s\(number % 5).localhost")
                return Task(executorPreference: loop) { _ = try? await client.send(call) }
            }
        }

        /// The status of a call that is answered at once.
        func status(of owner: String? = nil, by client: HTTPClient) async throws -> Int {
            let call = request("/quick", of: owner)
            return try await loop.run { try await client.send(call).status }
        }
    }

    /// How many calls have come that are not answered.
    private final class Hanging: Sendable {
        private let count = Mutex(0)

        var arrived: Int { count.withLock { $0 } }

        func add() { count.withLock { $0 += 1 } }

        /// Waits until so many have come.
        func wait(for number: Int) async throws { try await waitUntil { arrived == number } }
    }

    private func withSite(_ body: (Site) async throws -> [Task<Void, Never>]) async throws {
        let hanging = Hanging()
        var router = Router()
        router.get(Route("/hang")) { _ in
            hanging.add()
            try await Task.sleep(for: .testTimeout)
            return .empty()
        }
        router.get(Route("/quick")) { _ in .text("here") }
        let loops = try [EventLoop(name: "outgoing"), EventLoop(name: "server")]
        for loop in loops { try loop.start() }
        defer { for loop in loops { loop.stop() } }
        let application = Application(routes: try router.frozen())
        var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
        // A handler takes as long as the test has it take.
        options.answerTimeout = .testTimeout * 2
        let server = try await Server.start(application, options, on: [loops[1]])[0]
        // As a server has it: with threads of their own for what teams name.
        let unauthenticatedCalls = try UnauthenticatedCalls()
        let outgoing = try await loops[0].run { [loop = loops[0]] in
            try Outgoing(
                on: loop, checks: unauthenticatedCalls.checks, notifications: unauthenticatedCalls.notifications)
        }
        let site = Site(outgoing: outgoing, loop: loops[0], port: server.port, hanging: hanging)
        let result: Result<[Task<Void, Never>], any Error>
        do { result = .success(try await body(site)) } catch { result = .failure(error) }
        try await loops[0].run { outgoing.close() }
        unauthenticatedCalls.close()
        try await loops[1].run { await server.stop(within: .zero) }
        for call in try result.get() { await call.value }
    }

    @Test func `V43: domains that never answer take no connection from notifications`() async throws {
        try await withSite { site in
            // As many as one client has connections.
            let count = HTTPClient.Options().connectionLimit
            let calls = site.hang(count, by: site.outgoing.checks)
            try await site.hanging.wait(for: count)
            #expect(try await site.status(by: site.outgoing.notifications) == 200)
            return calls
        }
    }

    @Test func `V43: a server that never ends holds up no checks, and notifications for a second`() async throws {
        let serving = try EventLoop(name: "endless")
        try serving.start()
        defer { serving.stop() }
        let endless = EndlessRecords()
        serving.execute { endless.serve() }
        try await withSite { site in
            let address = "https://127.0.0.1:\(endless.listener.port)/"
            let call = ClientRequest("POST", address, deadline: .testTimeout, addresses: .publicAndLoopback)
            let notifications = site.outgoing.notifications
            async let failure = {
                do {
                    _ = try await notifications.send(call);
                    return false
                } catch { return true }
            }()
            #expect(try await site.status(by: site.outgoing.checks) == 200)
            #expect(await failure)
            #expect(try await site.status(by: notifications) == 200)
            endless.stop()
            try await serving.run {}
            #expect(!endless.hasGivenUp, "the thread was busy for as long as something came")
            return []
        }
    }

    @Test func `V43: checks of one team leave places for another's`() async throws {
        try await withSite { site in
            let checks = site.outgoing.checks
            let calls = site.hang(200, of: "ACMETEAM01", by: checks)
            try await site.hanging.wait(for: Outgoing.checkPlaces * 3 / 4)
            #expect(try await site.status(of: "RIVALTEAM1", by: checks) == 200)
            return calls
        }
    }

    @Test func `V43: calls to Apple for one team leave places for another's, and for Apple's keys`() async throws {
        try await withSite { site in
            let (apple, places) = (site.outgoing.apple, Outgoing.applePlaces)
            var calls = site.hang(200, of: "ACMETEAM01", by: apple)
            try await site.hanging.wait(for: places * 3 / 4)
            #expect(try await site.status(of: "RIVALTEAM1", by: apple) == 200)
            // Whose turn it is waits for no connection, either.
            calls += site.hang(places / 4, of: "RIVALTEAM1", by: apple)
            try await site.hanging.wait(for: places)
            #expect(try await site.status(by: apple) == 200)
            return calls
        }
    }
}
