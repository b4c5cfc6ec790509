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
        var options = RouteOptions(bodyLimit: 200_000)
        router.post(Route("/stranger"), options) { .text("\($0.body.count)") }
        options.admission = { _ in nil }
        router.post(Route("/"), options) { .text("\($0.body.count)") }
    }

    /// What long bodies take of the server's budget, in octets.
    private func held(_ server: TestServer) async throws -> Int {
        try await server.loop.run { [server = server.server] in server.requests?.longBodies ?? 0 }
    }

    @Test func `S33, V55: long bodies beyond the budget are answered 503, and short ones go on`() async throws {
        try await withServer(options: { $0.longBodyBudget = 150_000 }, routes: declare) { server async throws in
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

    @Test func `S33, V55: a body in chunks counts as it grows`() async throws {
        try await withServer(options: { $0.longBodyBudget = 50_000 }, routes: declare) { server async throws in
            let chunk = "2710\r\n" + String(repeating: "x", count: 10_000) + "\r\n"
            for (path, count, status) in [("/", 4, 200), ("/", 8, 503), ("/stranger", 1, 200), ("/stranger", 2, 413)] {
                let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                let client = try server.client(sending: head + String(repeating: chunk, count: count) + "0\r\n\r\n")
                #expect(try client.readAnswer().status == status, "\(count) chunks to \(path)")
                try await waitUntil { try await held(server) == 0 }
            }
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

    @Test func `S33, V55: without an admission check a body over 16 KiB is answered 413`() async throws {
        try await withServer(routes: declare) { server async throws in
            let limit = RouteOptions.shortBody
            let longest = try server.ask(head(limit, "/stranger") + String(repeating: "x", count: limit))
            #expect(longest.body == "\(limit)")
            let longer = head(limit + 1, "/stranger") + String(repeating: "x", count: limit + 1)
            #expect(try server.ask(longer).status == 413)
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
