import EventLoop
import Glibc
import TestSupport
import Testing

@testable import HTTP

@Suite struct `Start and stop` {
    private func application() throws -> Application {
        var router = Router()
        router.get(Route("/")) { _ in .text("here") }
        return Application(routes: try router.frozen())
    }

    private func withLoops(_ count: Int, _ body: ([EventLoop]) async throws -> Void) async throws {
        let loops = try (0..<count).map { try EventLoop(name: "loop \($0)") }
        for loop in loops { try loop.start() }
        defer { for loop in loops { loop.stop() } }
        try await body(loops)
    }

    @Test func `a port in use is said, not shared`() async throws {
        try await withServer { server async throws in
            let address = try #require(IPAddress("127.0.0.1"))
            let options = ServerOptions(address: address, port: server.port)
            let application = try application()
            await #expect(throws: ServerFailure.portInUse(address: address, port: server.port)) {
                _ = try await Server.start(application, options, on: [server.loop])
            }
        }
    }

    @Test func `an address of another machine cannot be listened on`() async throws {
        try await withLoops(1) { loops in
            let options = ServerOptions(address: try #require(IPAddress("192.0.2.1")), port: 0)
            let application = try application()
            await #expect(throws: ServerFailure.self) { _ = try await Server.start(application, options, on: loops) }
        }
    }

    @Test func `two loops share one port, and it is free after the stop`() async throws {
        try await withLoops(2) { loops in
            let address = try #require(IPAddress("::1"))
            var port: UInt16 = 0
            for _ in 0..<3 {
                let options = ServerOptions(address: address, port: port)
                let servers = try await Server.start(try application(), options, on: loops)
                #expect(Set(servers.map(\.port)).count == 1)
                port = servers[0].port
                for (server, loop) in zip(servers, loops) {
                    try await loop.run { await server.stop(within: .testTimeout) }
                }
            }
        }
    }

    /// Two processes hold one socket; here it is two descriptors.
    @Test func `V56: what waits in a socket is served by the next server on it`() async throws {
        try await withLoops(2) { loops in
            let address = try #require(IPAddress("127.0.0.1"))
            let socket = try Listener.open(address, 0, count: 1)[0]
            var options = ServerOptions(address: address, port: 0)
            options.sockets = [dup(socket)]
            let first = try await Server.start(try application(), options, on: [loops[0]])[0]
            options.sockets = [dup(socket)]
            try await loops[0].run { await first.stop(within: .testTimeout) }
            let client = try RawClient(port: Listener.port(of: socket))
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")

            let next = try await Server.start(try application(), options, on: [loops[1]])[0]
            #expect(try client.readAnswer().body == "here")

            try await loops[1].run { await next.stop(within: .testTimeout) }
            close(socket)
        }
    }

    @Test func `V56: a stop for the sake of another server lets idle connections ask once more`() async throws {
        try await withServer { server async throws in
            let idle = try server.client(sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try idle.readAnswer().body == "here")

            let stop = Task.detached(executorPreference: server.loop) { [server = server.server] in
                await server.stop(within: .testTimeout, idle: .testTimeout)
            }
            #expect(throws: RawFailure.self) { while true { _ = try server.client() } }
            try idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try idle.readAnswer()
            await stop.value

            #expect(answer.body == "here")
            #expect(answer["connection"]?.lowercased() == "close")
            #expect(idle.isClosed())
        }
    }

    @Test func `a stop lets the request under way finish and closes the rest`() async throws {
        let gate = Gate()
        try await withServer {
            $0.get(Route("/wait")) { _ in
                await gate.wait()
                return .text("done")
            }
            $0.get(Route("/")) { _ in .text("here") }
        } _: { server async throws in
            let idle = try server.client(sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try idle.readAnswer().body == "here")
            let waiting = try server.client(sending: "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waitUntil { try await server.underWay() == 1 }

            let stop = server.beginStop(within: .testTimeout)
            #expect(idle.isClosed())
            #expect(throws: RawFailure.self) { _ = try server.client() }
            gate.open()
            let answer = try waiting.readAnswer()
            await stop.value

            #expect(answer.body == "done")
            #expect(answer["connection"]?.lowercased() == "close")
            #expect(waiting.isClosed())
        }
    }

    @Test func `a stop does not wait longer than it may`() async throws {
        let gate = Gate()
        try await withServer {
            $0.get(Route("/wait")) { _ in
                await gate.wait()
                return .text("done")
            }
        } _: { server async throws in
            let waiting = try server.client(sending: "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waitUntil { try await server.underWay() == 1 }

            await server.beginStop(within: .zero).value
            #expect(try waiting.readAnswer().status == 503)
            gate.open()
        }
    }

    @Test func `a stopped server is released`() async throws {
        weak var released: Server?
        try await withServer { server async throws in
            released = server.server
            _ = try server.get("/")
        }
        #expect(released == nil)
    }

    @Test func `a key that is none is said`() async throws {
        try await withLoops(1) { loops in
            let application = try application()
            let tls = ServerTLS(certificate: "no certificate", key: "no key")
            var options = ServerOptions(address: try #require(IPAddress("127.0.0.1")), port: 0)
            options.tls = tls
            let encrypted = options
            await #expect(throws: ServerFailure.cannotStart(withTLS: true)) {
                _ = try await Server.start(application, encrypted, on: loops)
            }
        }
    }
}
