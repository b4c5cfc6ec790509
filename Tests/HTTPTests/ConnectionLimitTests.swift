import TestSupport
import Testing

@testable import HTTP

@Suite struct `How many may connect` {
    private static let halfHead = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "

    private func half(_ server: TestServer, from source: UInt32) throws -> RawClient {
        let client = try RawClient(port: server.port, from: source)
        try? client.send(Self.halfHead)
        return client
    }

    /// Waits until the server has as many connections.
    private func wait(for count: Int, on server: TestServer) async throws {
        _ = try await server.figures { $0.now == count }
    }

    @Test func `S9, V44: an address has its share of the connections, and others are served`() async throws {
        try await withServer(options: { $0.connectionsPerAddress = 20 }) { server async throws in
            let greedy = try (0..<50).map { _ in try half(server, from: 2) }
            let figures = try await server.figures { $0.refusedByAddress == 30 }

            #expect(figures.refusedByAddress == 30 && figures.now == 20)
            #expect(figures.lastRefused == IPAddress("127.0.0.2"))
            // They are taken in their order.
            #expect(greedy[20...].allSatisfy { $0.isClosed() } && !greedy[..<20].contains { $0.hasEnded })
            #expect(try server.get("/").body == "here")
        }
    }

    @Test func `S9: what an address has given up it may have again`() async throws {
        try await withServer(options: { $0.connectionsPerAddress = 2 }) { server async throws in
            for _ in 0..<20 { #expect(try server.get("/").body == "here") }
            #expect(try await server.figures { $0.now == 0 }.peak >= 1)
        }
    }

    @Test func `S9: a trusted proxy has no share, and all of an IPv6 network has one`() throws {
        var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
        options.connectionsPerAddress = 2
        options.trustedProxies = TrustedProxies([try #require(AddressBlock("10.0.0.0/8"))])
        let count = ConnectionCount(options)
        func add(_ text: String) throws -> ConnectionCount.Rejection? {
            count.add(try #require(IPAddress(text)), makesRoom: { _ in false })
        }
        for _ in 0..<50 { #expect(try add("10.1.2.3") == nil) }
        #expect(try add("2001:db8:1:2::1") == nil)
        #expect(try add("2001:db8:1:2:ffff::1") == nil)
        #expect(try add("2001:db8:1:2:aaaa::1") == .address)
        #expect(try add("2001:db8:1:3::1") == nil)
        #expect(try add("192.0.2.1") == nil)
        #expect(try add("192.0.2.2") == nil)
        #expect(count.figures.now == 55)
    }

    @Test func `S9, V44: when all are taken, who is silent or does not take an answer makes room`() async throws {
        for silence in [Self.halfHead, "GET /large HTTP/1.1\r\nHost: a\r\n\r\n"] {
            let change: (inout ServerOptions) -> Void = {
                $0.connectionLimit = 10
                // None of them has to give way for what it holds.
                $0.deliveryBudget = 1 << 30
            }
            try await withServer(options: change) {
                $0.get(Route("/")) { _ in .text("here") }
                $0.get(Route("/large")) { _ in Response(body: TestServer.large) }
            } _: { server async throws in
                let silent = try (0..<10).map { try RawClient(port: server.port, from: UInt32(2 + $0)) }
                for client in silent { try client.send(silence) }
                try await wait(for: 10, on: server)
                let isHead = silence == Self.halfHead
                try await waitUntil { try await server.count(in: isHead ? .head : .delivery) == 10 }
                // Who has only just come is spared. Their time is not over: what closes one of them is the newcomer.
                try await server.pass(.seconds(5))
                #expect(try server.get("/").body == "here")
                #expect(server.server.connectionCount.figures.displaced == 1)
                try await wait(for: 9, on: server)
            }
        }
    }

    @Test func `V44: a slow client keeps its place among slow readers that hold all others`() async throws {
        let change: (inout ServerOptions) -> Void = {
            $0.connectionLimit = 10
            $0.deliveryBudget = 1 << 30
        }
        try await withServer(options: change) {
            $0.get(Route("/")) { _ in .text("here") }
            $0.get(Route("/large")) { _ in Response(body: TestServer.large) }
        } _: { server async throws in
            func reader(_ number: Int) throws -> RawClient {
                let reader = try RawClient(port: server.port, from: UInt32(2 + number % 3))
                try reader.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
                return reader
            }
            let slow = try half(server, from: 9)
            var readers = try (0..<9).map(reader)
            try await wait(for: 10, on: server)
            for number in 0..<20 {
                // Longer than what only just came is spared.
                try await server.pass(.seconds(5))
                readers.append(try reader(number))
                _ = try await server.figures { $0.displaced + $0.refusedForRoom > number }
            }
            // It was there first, and says the rest of its head.
            try slow.send("1\r\n\r\n")
            #expect(try slow.readAnswer().body == "here")
            #expect(server.server.connectionCount.figures.displaced >= 10)
        }
    }

    @Test func `V44: clients that keep asking on all connections keep nobody out`() async throws {
        try await withServer(options: { $0.connectionLimit = 10 }) { server async throws in
            func busy(_ number: Int) throws -> RawClient {
                try RawClient(port: server.port, from: UInt32(2 + number % 5))
            }
            var clients = try (0..<10).map(busy)
            for round in 1...5 {
                try await wait(for: 10, on: server)
                // Each has asked a moment ago.
                for client in clients { #expect(client.asks()) }
                #expect(try server.get("/").body == "here")
                #expect(server.server.connectionCount.figures.displaced == round)
                // One of them had to go, and comes again.
                try await wait(for: 9, on: server)
                try await waitUntil { clients.contains { $0.hasEnded } }
                for number in clients.indices where clients[number].hasEnded { clients[number] = try busy(number) }
            }
        }
    }

    @Test func `S9: a request under way makes no room`() async throws {
        let gate = Gate()
        try await withServer(options: { $0.connectionLimit = 2 }) {
            $0.get(Route("/wait")) { _ in
                await gate.wait()
                return .text("done")
            }
        } _: { server async throws in
            let waiting = try (0..<2).map { _ in try server.client() }
            for client in waiting { try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n") }
            try await waitUntil { try await server.underWay() == 2 }
            // However long they have been there.
            try await server.pass(.seconds(5))
            #expect(throws: (any Error).self) { try server.get("/wait") }
            gate.open()
            for client in waiting { #expect(try client.readAnswer().body == "done") }
            #expect(server.server.connectionCount.figures.refusedForRoom == 1)
        }
    }
}

extension RawClient {
    /// Whether it is answered.
    fileprivate func asks() -> Bool {
        do {
            try send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return try readAnswer().status == 200
        } catch { return false }
    }
}
