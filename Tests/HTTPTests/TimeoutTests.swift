import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite struct `Time-outs and limits` {
    /// What every time-out of the server of a test is.
    private static let limit = Duration.testTimeout
    /// No time-out ends in it.
    private static let nearly = limit - .seconds(5)

    @Test func `a handler that takes too long is answered 503 and cancelled`() async throws {
        let seen = Mutex("")
        try await withServer {
            $0.get(Route("/slow")) { request in
                do { try await Task.sleep(for: .testTimeout) } catch {
                    seen.withLock { $0 = request[.userAgent] ?? "nothing" }
                }
                return .text("late")
            }
            $0.get(Route("/fast")) { _ in .text("fast") }
        } _: { server async throws in
            let client = try server.client(sending: "GET /slow HTTP/1.1\r\nHost: a\r\nUser-Agent: Ada\r\n\r\n")
            try await waitUntil { try await server.underWay() == 1 }
            try await server.pass(Self.nearly)
            #expect(try await server.underWay() == 1)
            try await server.pass(Self.limit)
            let answer = try client.readAnswer()
            #expect(answer.status == 503)
            #expect(answer["retry-after"] != nil)
            try await waitUntil { seen.withLock { $0 } != "" }
            #expect(seen.withLock { $0 } == "Ada")
            #expect(try server.get("/fast").body == "fast")
            #expect(try await server.underWay() == 0)
        }
    }

    @Test func `one octet now and then does not hold a connection`() async throws {
        try await withServer { server async throws in
            let client = try server.client(sending: "GET / HTTP/1.1\r\nX-Slow: ")
            try await waitUntil { try await server.connectionCount() == 1 }
            for _ in 0..<10 {
                try? client.send("a")
                try await server.settle()
                try await server.pass(Self.limit / 9)
            }
            #expect(client.isClosed())
        }
    }

    @Test func `an idle connection is closed, also after a request`() async throws {
        try await withServer { server async throws in
            let silent = try server.client()
            let used = try server.client(sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try used.readAnswer().body == "here")
            try await server.pass(Self.nearly)
            try used.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try used.readAnswer().body == "here")
            try await server.pass(.seconds(5))
            #expect(silent.isClosed())
            try await waitUntil { try await server.connectionCount() == 1 }
            try await server.pass(Self.limit)
            #expect(used.isClosed())
        }
    }

    @Test(arguments: [false, true])
    func `a connection is kept idle as long as was said, a proxy's from its beginning on`(isOfProxy: Bool) async throws
    {
        try await withServer(options: { options in
            options[keyPath: isOfProxy ? \ServerOptions.proxyKeepAlive : \.keepAlive] = Self.limit * 4
            if isOfProxy { options.trustedProxies = TrustedProxies(["127.0.0.1"].compactMap { AddressBlock($0) }) }
        }) { server async throws in
            let silent = try server.client()
            let kept = try server.client(sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try kept.readAnswer().body == "here")
            try await waitUntil { try await server.connectionCount() == 2 }
            try await server.pass(Self.limit * 3)
            #expect(isOfProxy || silent.isClosed())
            for client in isOfProxy ? [kept, silent] : [kept] {
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readAnswer().body == "here")
            }
            try await server.pass(Self.limit * 4)
            #expect(kept.isClosed() && silent.isClosed())
        }
    }

    @Test func `time passes by the clock`() async throws {
        try await withServer(isTimed: true, options: { $0.headTimeout = .milliseconds(20) }) {
            $0.get(Route("/")) { _ in .empty() }
        } _: { server async throws in
            #expect(try server.client().isClosed())
        }
    }

    @Test func `a body that does not come is not waited for`() async throws {
        try await withServer {
            $0.post(Route("/")) { _ in .empty() }
        } _: { server async throws in
            let client = try server.client(sending: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
            try await waitUntil { try await server.count(in: .body) == 1 }
            try await server.pass(Self.limit)
            #expect(client.isClosed())
            #expect(try await server.finished.wait(for: 1).map(\.status) == [nil])
        }
    }

    @Test func `a client that does not take its answer is not waited for`() async throws {
        try await withServer {
            $0.get(Route("/")) { _ in Response(body: TestServer.large) }
        } _: { server async throws in
            let client = try server.client(sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waitUntil { try await server.count(in: .delivery) == 1 }
            try await server.pass(Self.nearly)
            #expect(server.finished.all.isEmpty)
            try await server.pass(Self.limit)
            #expect(try await server.finished.wait(for: 1).map(\.wasSent) == [false])
            _ = client
        }
    }

    @Test func `V44: the time of a client that sends or reads slowly is none of ours`() async throws {
        try await withServer {
            $0.post(Route("/form")) { _ in .text("taken") }
            $0.get(Route("/large")) { _ in Response(body: TestServer.large) }
        } _: { server async throws in
            func pause(in phase: Connection.Phase) async throws {
                try await waitUntil { try await server.count(in: phase) == 1 }
                try await Task.sleep(for: .shortPause)
            }
            let sender = try server.client(sending: "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n")
            try await pause(in: .body)
            try sender.send("body")
            #expect(try sender.readAnswer().body == "taken")
            let reader = try server.client(sending: "GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            try await pause(in: .delivery)
            #expect(try reader.readAnswer().body.utf8.count == TestServer.large.count)

            let lines = try await server.finished.wait(for: 2)
            #expect(lines.map(\.wasSent) == [true, true])
            #expect(lines.allSatisfy { $0.duration - $0.work >= .shortPause }, "\(lines)")
        }
    }

    @Test func `V44: the time of a handler, and of the pieces that it makes, is ours`() async throws {
        try await withServer {
            $0.get(Route("/late")) { _ in
                try await Task.sleep(for: .shortPause)
                return .text("late")
            }
            $0.get(Route("/pieces")) { _ in
                let pieces = Mutex(2)
                let stream = BodyStream {
                    try await Task.sleep(for: .shortPause)
                    let isLast = pieces.withLock { pieces in
                        pieces -= 1
                        return pieces < 0
                    }
                    return isLast ? nil : [0x61]
                }
                return Response(stream: stream)
            }
        } _: { server async throws in
            #expect(try server.get("/late").body == "late")
            let client = try server.client(sending: "GET /pieces HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            _ = try client.readToEnd()
            let lines = try await server.finished.wait(for: 2)
            #expect(lines[0].work >= .shortPause && lines[1].work >= .shortPause * 2, "\(lines)")
            #expect(lines.allSatisfy { $0.work <= $0.duration })
        }
    }

    @Test func `clients that vanish leave nothing behind`() async throws {
        let gate = Gate()
        try await withServer {
            $0.get(Route("/wait")) { _ in
                await gate.wait()
                return .text("too late")
            }
            $0.post(Route("/form")) { _ in .empty() }
        } _: { server async throws in
            for _ in 0..<20 {
                for begun in [
                    "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n",
                    "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf", "GET /wa",
                ] { _ = try server.client(sending: begun) }
            }
            // Connections are taken in their order.
            #expect(try server.get("/nothing").status == 404)
            gate.open()
            // An end that arrives together with the last octets is overlooked by libmicrohttpd; the time-outs see it.
            try await waitUntil {
                try await server.pass(Self.limit)
                return try await server.connectionCount() == 0
            }
            #expect(try await server.underWay() == 0)
        }
    }
}

/// Holds tasks back until it is opened.
final class Gate: Sendable {
    private struct State {
        var arrived = 0
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// How many tasks have come.
    var arrived: Int { state.withLock { $0.arrived } }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.arrived += 1
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Waits until so many tasks have come.
    func wait(for count: Int) async throws { try await waitUntil { arrived >= count } }

    /// Lets the first one go that is held.
    func releaseFirst() {
        let first = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        first?.resume()
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
