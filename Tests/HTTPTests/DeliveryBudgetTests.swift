import EventLoop
import TestSupport
import Testing

@testable import HTTP

@Suite struct `Answers and memory` {
    private static let size = 8 << 20

    private func declare(_ router: inout Router) {
        router.get(Route("/large")) { _ in Response(body: [UInt8](repeating: 7, count: Self.size)) }
        router.get(Route("/small")) { _ in .text("small") }
        router.get(Route("/stream")) { _ in Response(stream: BodyStream { [UInt8](repeating: 7, count: Self.size) }) }
    }

    private func held(_ server: TestServer) async throws -> Int {
        try await server.loop.run { [server = server.server] in server.deliveries.octets }
    }

    @Test func `V55: clients that read nothing hold no more than the budget, and others are served`() async throws {
        let budget = 39 * Self.size / 10
        try await withServer(options: { $0.deliveryBudget = budget }, routes: declare) { server async throws in
            let honest = try RawClient(port: server.port, from: 9)
            var slow: [RawClient] = []
            for number in 1...12 {
                let client = try server.client(sending: "GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
                slow.append(client)
                try await waitUntil { try await held(server) >= min(number, 3) * Self.size }
                #expect(try await held(server) <= budget, "\(number)")
                if number == 3 { try honest.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n") }
                if number == 4 { #expect(try honest.readAnswer().body.utf8.count == Self.size) }
            }
            // The first have read nothing for longest.
            try await waitUntil { server.server.inFlight.figures.answersGivenUp == 9 }
            #expect((try? slow[0].readToEnd()).map { $0.utf8.count < Self.size } ?? true)
            #expect(try server.ask("GET /small HTTP/1.1\r\nHost: a\r\n\r\n").body == "small")
            #expect(try slow[11].readAnswer().body.utf8.count == Self.size)
            slow = []
            try await waitUntil { try await held(server) == 0 }
            try await server.pass(.zero)
            #expect(server.server.inFlight.figures.inDelivery == 0)
        }
    }

    @Test func `V55: an answer is kept once while it is sent`() async throws {
        try await withServer(routes: declare) { server async throws in
            let client = try server.client(sending: "GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waitUntil { try await server.count(in: .delivery) == 1 }
            let isKept = try await server.loop.run { [server = server.server] in
                server.connections.contains { $0.outcome != nil }
            }
            #expect(!isKept)
            #expect(try client.readAnswer().body.utf8.count == Self.size)
        }
    }

    @Test func `V55: pieces of a stream count, and nobody waits for the next of one that is given up`() async throws {
        try await withServer(options: { $0.deliveryBudget = 2 * Self.size }, routes: declare) { server async throws in
            var slow: [RawClient] = []
            for _ in 0..<4 {
                let client = try server.client(sending: "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
                slow.append(client)
            }
            try await waitUntil { server.server.inFlight.figures.answersGivenUp >= 3 }
            try await waitUntil { try await server.connectionCount() == 1 }
            #expect(try await held(server) <= 2 * Self.size)
        }
    }

    @Test func `V55: a prepared answer is held once, however many read it`() async throws {
        let prepared = try PreparedResponse(Response(body: [UInt8](repeating: 7, count: Self.size)))
        try await withServer(options: { $0.deliveryBudget = 1000 }) {
            $0.get(Route("/")) { _ in Response(prepared) }
        } _: { server async throws in
            let clients = try (0..<8).map { _ in try server.client() }
            for client in clients { try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            // All of them at once have what is there once, and none of them a copy.
            try await waitUntil { try await server.count(in: .delivery) == 8 }
            #expect(try await held(server) == 0)
            for client in clients { #expect(try client.readAnswer().body.utf8.count == Self.size) }
            #expect(server.server.inFlight.figures.answersGivenUp == 0)
        }
    }

    @Test func `V55: a copy that is made of a prepared answer counts like any other`() async throws {
        let prepared = try PreparedResponse(Response(body: [UInt8](repeating: 7, count: Self.size)))
        try await withServer(
            options: { $0.deliveryBudget = 2 * Self.size }, routes: { $0.post(Route("/")) { _ in Response(prepared) } }
        ) { server async throws in
            // The connection ends after a chunked request; its answer says so, and is another one.
            let request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            let clients = try (0..<4).map { _ in try server.client(sending: request) }
            defer { _ = clients }
            try await waitUntil { server.server.inFlight.figures.answersGivenUp >= 2 }
            #expect(try await held(server) <= 2 * Self.size)
        }
    }
}
