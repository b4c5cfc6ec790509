import EventLoop
import TestSupport
import Testing

@testable import HTTP

@Suite struct `Whose requests may wait` {
    private static let ask = "GET /wait HTTP/1.1\r\nHost: a\r\n"

    private func declare(_ gate: Gate) -> (inout Router) -> Void {
        { router in
            router.get(Route("/wait")) { _ in
                await gate.wait()
                return .text("done")
            }
            router.get(Route("/now")) { _ in .text("now") }
            router.get(Route("/health"), .immediate) { _ in .text("well") }
        }
    }

    /// Sends requests, each when it is known what became of the one before.
    ///
    /// - Returns: those that wait.
    private func wait(
        _ count: Int, on server: TestServer, from source: UInt32 = 1, _ fields: (Int) -> String = { _ in "" }
    ) async throws -> [RawClient] {
        var waiting: [RawClient] = []
        for number in 0..<count {
            let before = try await server.underWay()
            let client = try RawClient(port: server.port, from: source)
            try client.send(Self.ask + fields(number) + "\r\n")
            try await waitUntil {
                if client.hasAnswer { return true }
                return try await server.underWay() > before
            }
            if client.hasAnswer { #expect(try client.readAnswer().status == 503) } else { waiting.append(client) }
        }
        return waiting
    }

    @Test func `V43, V44: one client has half of the places, and others have theirs`() async throws {
        let gate = Gate()
        try await withServer(options: { $0.requestsUnderWay = 64 }, routes: declare(gate)) { server async throws in
            let greedy = try await wait(64, on: server, from: 2)
            #expect(greedy.count == 32)
            // Neither does it get an answer that would come at once: nobody knows that beforehand.
            let more = try RawClient(port: server.port, from: 2)
            try more.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try more.readAnswer().status == 503)

            let first = try await wait(12, on: server, from: 3)
            let second = try await wait(12, on: server)
            // An eighth, and the one with which it is more than that.
            #expect([first.count, second.count] == [9, 9])
            #expect(try RawClient(port: server.port, from: 4).asks("/now").status == 200)

            gate.open()
            for client in greedy + first + second { #expect(try client.readAnswer().body == "done") }
            try await waitUntil { try await server.underWay() == 0 }
            let isCounting = try await server.loop.run { [server = server.server] in server.shares.isCounting }
            #expect(!isCounting)
            #expect(try more.asks("/now").status == 200)
        }
    }

    @Test func `V44: a health check is answered where no further request may wait`() async throws {
        let gate = Gate()
        try await withServer(options: { $0.requestsUnderWay = 2 }, routes: declare(gate)) { server async throws in
            let waiting = try await wait(2, on: server)
            #expect(waiting.count == 2)
            #expect(try server.get("/now").status == 503)
            #expect(try server.get("/health").body == "well")
            gate.open()
            for client in waiting { #expect(try client.readAnswer().body == "done") }
        }
    }

    @Test func `V43, V44: behind a trusted proxy the client counts, and the proxy itself does not`() async throws {
        let gate = Gate()
        let proxy = try #require(AddressBlock("127.0.0.1"))
        try await withServer(
            options: { ($0.requestsUnderWay, $0.trustedProxies) = (64, TrustedProxies([proxy])) }, routes: declare(gate)
        ) { server async throws in
            let greedy = try await wait(40, on: server) { _ in "X-Forwarded-For: 192.0.2.7\r\n" }
            let other = try await wait(4, on: server) { _ in "X-Forwarded-For: 6.6.6.6, 192.0.2.8\r\n" }
            let unnamed = try await wait(12, on: server)
            #expect([greedy.count, other.count, unnamed.count] == [32, 4, 12])
            gate.open()
            for client in greedy + other + unnamed { #expect(try client.readAnswer().body == "done") }
        }
    }

    @Test func `V43, V44: the networks of a site have a quarter together`() throws {
        var shares = WaitingShares(places: 2048)
        let networks = try (0..<4).map { try #require(IPAddress("2001:db8:1:\($0)::1")) }
        let other = try #require(IPAddress("2001:db8:2::1"))
        // The network with the number of its site is another one than the site.
        shares.begin(with: Array(repeating: networks[0], count: 256))
        for network in networks[1...2] {
            #expect(shares.hasRoom(for: network))
            for _ in 0..<128 { shares.add(1, to: network) }
        }
        #expect(networks.map(shares.hasRoom(for:)) == [true, true, true, true])
        shares.add(1, to: networks[0])
        #expect(networks.map(shares.hasRoom(for:)) == [false, false, false, false])
        #expect(shares.hasRoom(for: other))
        shares.add(-1, to: networks[1])
        #expect(networks.map(shares.hasRoom(for:)) == [false, true, true, true])
        shares.end(at: 513)
        #expect(shares.isCounting)
        shares.end(at: 512)
        #expect(!shares.isCounting)
        #expect(shares.hasRoom(for: networks[0]))
    }
}

extension RawClient {
    fileprivate func asks(_ path: String) throws -> RawAnswer {
        try send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        return try readAnswer()
    }
}
