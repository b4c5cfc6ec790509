import TestSupport
import Testing

@testable import HTTP

@Suite struct `What one network may have in flight` {
    /// How a client occupies a connection, and the phase that it stays in.
    enum Kind: String, CaseIterable {
        case head, body, wait, answer

        func octets(_ fields: String) -> String {
            switch self {
            case .head: "GET / HTTP/1.1\r\nHost: a\r\n\(fields)X-Half: "
            case .body: "POST / HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: 10\r\n\r\nhalf"
            case .wait: "GET /wait HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
            case .answer: "GET /large HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
            }
        }

        var phase: Connection.Phase {
            switch self {
            case .head: .head
            case .body: .body
            case .wait: .suspension
            case .answer: .delivery
            }
        }
    }

    /// A client: its own address as the last number of 127.0.0.x, or a proxy's with what that forwards.
    struct Client {
        var source: UInt32 = 1
        var forwardedFor: String?

        var fields: String { forwardedFor.map { "X-Forwarded-For: \($0)\r\n" } ?? "" }
    }

    /// Clients of one network, and one of another.
    struct Networks: CustomTestStringConvertible {
        let ours: [Client]
        let other: Client

        var isForwarded: Bool { other.forwardedFor != nil }
        var testDescription: String { "\(ours), \(other)" }
    }

    static let networks = [
        Networks(ours: [Client(source: 2)], other: Client(source: 3)),
        Networks(
            ours: [Client(forwardedFor: "192.0.2.7"), Client(forwardedFor: "6.6.6.6, 192.0.2.7")],
            other: Client(forwardedFor: "192.0.2.7, 192.0.2.8")),
        Networks(
            ours: [Client(forwardedFor: "2001:db8:0:1200::1"), Client(forwardedFor: "2001:db8:0:12ff::2")],
            other: Client(forwardedFor: "2001:db8:0:1300::1")),
    ]

    private func withLimit(
        _ limit: Int, connections: Int = 4096, _ body: (TestServer, _ first: Gate) async throws -> Void
    ) async throws {
        let (first, others) = (Gate(), Gate())
        let proxy = try #require(AddressBlock("127.0.0.1"))
        let change: (inout ServerOptions) -> Void = {
            ($0.inFlightPerNetwork, $0.connectionLimit) = (limit, connections)
            $0.trustedProxies = TrustedProxies([proxy])
        }
        try await withServer(options: change) {
            $0.get(Route("/")) { _ in .text("here") }
            $0.post(Route("/")) { _ in .text("taken") }
            $0.get(Route("/ready/:number", Int.self), ready: { _, number in number == 1 ? .text("ready") : nil }) {
                _, _ in .text("made")
            }
            $0.get(Route("/large")) { _ in Response(body: TestServer.large) }
            $0.get(Route("/wait")) { request in
                await (request[.cookie] == nil ? others : first).wait()
                return .text("done")
            }
        } _: { server async throws in
            defer { for gate in [first, others] { gate.open() } }
            try await body(server, first)
        }
    }

    private func connect(_ client: Client, to server: TestServer, sending octets: String) throws -> RawClient {
        let connection = try RawClient(port: server.port, from: client.source)
        try connection.send(octets)
        return connection
    }

    private func get(_ client: Client, on server: TestServer) throws -> RawAnswer {
        try connect(client, to: server, sending: "GET / HTTP/1.1\r\nHost: a\r\n\(client.fields)\r\n").readAnswer()
    }

    @Test(arguments: networks, Kind.allCases)
    func `S9, V43, V44, V55: one beyond the limit is refused, another network is served, and an end makes room`(
        networks: Networks, kind: Kind
    ) async throws {
        // Nobody knows whose a forwarded request is before its head is there.
        guard !networks.isForwarded || kind != .head else { return }
        let limit = 3
        try await withLimit(limit) { server, first async throws in
            var held = try (0..<limit).map { number in
                let client = networks.ours[number % networks.ours.count]
                let mark = number == 0 ? "Cookie: first\r\n" : ""
                return try connect(client, to: server, sending: kind.octets(client.fields + mark))
            }
            try await waitUntil { try await server.count(in: kind.phase) == limit }

            if networks.isForwarded {
                let refused = try get(networks.ours[0], on: server)
                #expect(refused.status == 503 && refused["retry-after"] == "1")
                // The proxy may go on using its connection.
                #expect(refused["connection"] == nil)
            } else {
                #expect(try RawClient(port: server.port, from: 2).isClosed())
            }
            let last = networks.isForwarded ? networks.ours[0].forwardedFor : "127.0.0.2"
            let figures = server.server.inFlight.figures
            #expect(figures.refused == 1 && figures.lastRefused?.description == last)
            #expect(try get(networks.other, on: server).body == "here")

            try await server.settle()
            held.removeFirst()
            first.open()
            try await waitUntil { (try? get(networks.ours[0], on: server).status) == 200 }
            _ = held
        }
    }

    @Test func `S9, V44: what is ready counts for nobody, but its body does, and what has to be made`() async throws {
        let (ours, other) = (Client(forwardedFor: "192.0.2.7"), Client(forwardedFor: "192.0.2.8"))
        func ask(_ number: Int, _ client: Client, _ rest: String = "\r\n") -> String {
            "GET /ready/\(number) HTTP/1.1\r\nHost: a\r\n\(client.fields)\(rest)"
        }
        try await withLimit(1) { server, _ async throws in
            let held = try connect(ours, to: server, sending: ask(1, ours, "Content-Length: 10\r\n\r\nhalf"))
            try await waitUntil { try await server.count(in: .body) == 1 }

            #expect(try get(ours, on: server).status == 503)
            #expect(try connect(ours, to: server, sending: ask(1, ours)).readAnswer().body == "ready")
            #expect(try connect(ours, to: server, sending: ask(2, ours)).readAnswer().status == 503)
            #expect(try connect(other, to: server, sending: ask(2, other)).readAnswer().body == "made")
            #expect(try connect(other, to: server, sending: ask(0, other)).readAnswer().status == 200)

            try held.send("a body")
            #expect(try held.readAnswer().body == "ready")
            try await waitUntil { (try? get(ours, on: server).status) == 200 }
        }
    }

    @Test func `S9, V44: a trusted proxy has no limit for itself`() async throws {
        try await withLimit(2) { server, _ async throws in
            let octets = Kind.wait.octets("")
            let held = try (0..<6).map { _ in try connect(Client(), to: server, sending: octets) }
            try await waitUntil { try await server.count(in: .suspension) == held.count }
            #expect(try get(Client(), on: server).body == "here")
        }
    }

    @Test func `S9, V44: with all places taken a connection waits, and is served when one is free`() async throws {
        try await withLimit(1, connections: 2) { server, _ async throws in
            var held = try [2, 3].map { try connect(Client(source: $0), to: server, sending: Kind.body.octets("")) }
            try await waitUntil { try await server.count(in: .body) == 2 }
            let next = try connect(Client(source: 4), to: server, sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waitUntil { server.server.inFlight.figures.full > 0 }
            #expect(!next.hasAnswer && !next.hasEnded)

            held.removeFirst()
            #expect(try next.readAnswer().body == "here")
            let figures = server.server.inFlight.figures
            #expect(figures.peak == 2 && figures.refused == 0)
        }
    }
}
