import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite struct `Bodies and memory` {
    private static let long = 100_000

    private func head(_ length: Int, _ path: String = "/") -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
    }

    private func declare(_ router: inout Router) {
        router.post(Route("/"), RouteOptions(bodyLimit: 200_000)) { .text("\($0.body.count)") }
    }

    /// What all bodies of the server take of its budget, in octets.
    private func held(_ server: TestServer) async throws -> Int {
        try await server.loop.run { [server = server.server] in server.connections.reduce(0) { $0 + $1.share.octets } }
    }

    @Test func `S33, V55: long bodies beyond the budget are answered 503, and short ones go on`() async throws {
        try await withServer(options: { $0.longBodyBudget = 300_000 }, routes: declare) { server async throws in
            let first = try server.client(sending: head(Self.long) + "begun")
            try await waitUntil { try await held(server) == Self.long }

            let second = try server.client(sending: head(Self.long) + String(repeating: "x", count: Self.long))
            let refused = try second.readAnswer()
            #expect(refused.status == 503 && refused["retry-after"] != nil)
            for _ in 0..<3 { #expect(try server.ask(head(5) + "short").body == "5") }

            try first.send(String(repeating: "x", count: Self.long - 5))
            #expect(try first.readAnswer().body == "\(Self.long)")
            let third = try server.ask(head(Self.long) + String(repeating: "x", count: Self.long))
            #expect(third.body == "\(Self.long)")
        }
    }

    @Test func `S33, V55: many short bodies leave room for long ones, and what was begun is given back`() async throws {
        try await withServer(options: { $0.shortBodyBudget = 3000 }, routes: declare) { server async throws in
            var begun = try (0..<3).map { _ in try server.client() }
            for client in begun { try client.send(head(1000) + "x") }
            try await waitUntil { try await held(server) == 3000 }

            #expect(try server.ask(head(1000) + String(repeating: "x", count: 1000)).status == 503)
            let long = try server.ask(head(Self.long) + String(repeating: "x", count: Self.long))
            #expect(long.body == "\(Self.long)")
            begun = []
            try await waitUntil { try await held(server) == 0 }
            #expect(try server.ask(head(5) + "short").body == "5")
        }
    }

    @Test func `S33, V55: a body in chunks counts as it grows`() async throws {
        try await withServer(options: { $0.longBodyBudget = 50_000 }, routes: declare) { server async throws in
            let client = try server.client()
            let chunk = "2710\r\n" + String(repeating: "x", count: 10_000) + "\r\n"
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<8 { try client.send(chunk) }
            try client.send("0\r\n\r\n")
            #expect(try client.readAnswer().status == 503)
            #expect(try await held(server) == 0)
        }
    }

    @Test func `S33, V55: a route that wants to know who asks is asked before the body is kept`() async throws {
        let asked = Mutex(0)
        try await withServer {
            for path in ["/now", "/later"] {
                var options = RouteOptions(bodyLimit: 200_000)
                options.admission = { request in
                    asked.withLock { $0 += 1 }
                    if path == "/later" { await Task.yield() }
                    return request[.cookie] == nil ? .text("sign in", status: .unauthorized) : nil
                }
                $0.post(Route(path), options) { .text("\($0.body.count) \($0[.cookie] ?? "")") }
            }
        } _: { server async throws in
            for path in ["/now", "/later"] {
                let stranger = try server.client(sending: head(Self.long, path) + "begun")
                try await waitUntil {
                    let outcomes = try await server.loop.run { [server = server.server] in
                        server.connections.map { $0.outcome != nil }
                    }
                    return outcomes == [true]
                }
                #expect(try await held(server) == 0)
                try stranger.send(String(repeating: "x", count: Self.long - 5))
                let answer = try stranger.readAnswer()
                #expect(answer.status == 401 && answer.body == "sign in")
                #expect(stranger.isClosed())

                let known = "POST \(path) HTTP/1.1\r\nHost: a\r\nCookie: a=b\r\nContent-Length: \(Self.long)\r\n\r\n"
                let taken = try server.ask(known + String(repeating: "x", count: Self.long))
                #expect(taken.body == "\(Self.long) a=b")
            }
            #expect(asked.withLock { $0 } == 4)
        }
    }

    @Test func `S33, V55: a client that waits for our sign hears the refusal before it sends`() async throws {
        try await withServer(options: { $0.longBodyBudget = 10 }, routes: declare) { server async throws in
            let client = try server.client()
            let expect = "Expect: 100-continue\r\n"
            try client.send("POST / HTTP/1.1\r\nHost: a\r\n\(expect)Content-Length: \(Self.long)\r\n\r\n")
            #expect(try client.readAnswer().status == 503)
        }
    }

    @Test func `S33, V55: strangers and those who are let in cannot use up what the others have`() {
        // Whose body is to become how long, whether its sender is let in, and whether there is room for it.
        let sequences: [[(holder: Int, octets: Int, isAdmitted: Bool, hasRoom: Bool)]] = [
            [
                (0, 150_000, false, true), (1, 100_000, false, false), (1, 250_000, true, true),
                (2, 20_000, true, false), (2, 1000, false, true), (2, 20_000, false, false),
                // Given back.
                (1, 0, true, true), (2, 20_000, false, true),
            ],
            [
                (0, 300_000, true, true), (1, 20_000, true, false), (1, 60_000, false, true), (2, 40_000, false, true),
                (2, 41_000, false, false),
            ],
        ]
        for sequence in sequences {
            var budget = BodyBudget(short: 1000, long: 400_000)
            var shares = Array(repeating: BodyBudget.Share(), count: 3)
            for (place, step) in sequence.enumerated() {
                var hasRoom = true
                if step.octets == 0 {
                    budget.giveBack(&shares[step.holder])
                } else {
                    hasRoom = budget.extend(&shares[step.holder], to: step.octets, isAdmitted: step.isAdmitted)
                }
                #expect(hasRoom == step.hasRoom, "\(place): \(step)")
            }
            for holder in shares.indices { budget.giveBack(&shares[holder]) }
            #expect(budget.short == 1000 && budget.long == 400_000)
        }
    }

    @Test func `S33, V43: who sends several long bodies has a quarter, and others are taken`() async throws {
        try await withServer(options: { $0.longBodyBudget = 8 * Self.long }) { router in
            var options = RouteOptions(bodyLimit: 500_000)
            options.admission = { _ in nil }
            router.post(Route("/"), options) { .text("\($0.body.count)") }
        } _: { server async throws in
            let begun = try (0..<2).map { _ in try RawClient(port: server.port, from: 2) }
            for client in begun { try client.send(head(Self.long) + "begun") }
            try await waitUntil { try await held(server) == 2 * Self.long }

            let refused = try RawClient(port: server.port, from: 2)
            try refused.send(head(Self.long) + String(repeating: "x", count: Self.long))
            #expect(try refused.readAnswer().status == 503)
            // One alone may be longer than that.
            let whole = try server.ask(head(300_000) + String(repeating: "x", count: 300_000))
            #expect(whole.body == "300000")

            for client in begun {
                try client.send(String(repeating: "x", count: Self.long - 5))
                #expect(try client.readAnswer().body == "\(Self.long)")
            }
            try await waitUntil { try await held(server) == 0 }
            let again = try RawClient(port: server.port, from: 2)
            try again.send(head(Self.long) + String(repeating: "x", count: Self.long))
            #expect(try again.readAnswer().body == "\(Self.long)")
        }
    }

    @Test func `S33: the length that is said takes no memory before the body comes`() {
        var body: [UInt8] = []
        for count in [10, 1000, 10_000] {
            let piece = [UInt8](repeating: 0, count: count)
            unsafe piece.withUnsafeBytes { unsafe body.take($0, of: 270_000) }
            #expect(body.capacity <= 4 * body.count + 64)
        }
        let rest = [UInt8](repeating: 0, count: 258_990)
        unsafe rest.withUnsafeBytes { unsafe body.take($0, of: 270_000) }
        #expect(body.count == 270_000 && body.capacity < 290_000)
    }
}
