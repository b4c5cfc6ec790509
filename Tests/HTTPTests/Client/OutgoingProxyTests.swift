import EventLoop
import Glibc
import Synchronization
import TestSockets
import Testing

@testable import HTTP

/// A proxy that opens one connection to itself, unless it has another answer.
private final class Proxy: Sendable {
    let listener = LoopbackListener()
    private let heads = Mutex<[String]>([])
    private let answer: String

    init(answering answer: String = "HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n") {
        self.answer = answer
    }

    /// The heads that arrived: that of CONNECT, then that of the request.
    var seen: [String] { heads.withLock { $0 } }

    func options(_ userInfo: String = "") -> HTTPClient.Options {
        var options = HTTPClient.Options()
        options.proxy = OutgoingProxy("http://\(userInfo)127.0.0.1:\(listener.port)")
        return options
    }

    /// Serves one connection, on a thread of its own.
    func serve() {
        let connection = accept(listener.socket, nil, nil)
        guard connection >= 0 else { return }
        defer { close(connection) }
        for reply in [answer, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"] {
            var octets = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(connection, &octets, octets.count, 0)
            guard count > 0 else { return }
            heads.withLock { $0.append(String(decoding: octets.prefix(count), as: UTF8.self)) }
            let bytes = Array(reply.utf8)
            unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }
}

@Suite struct `A proxy for outgoing calls` {
    /// How requests end whose client takes the proxy, in turn.
    private func ask(_ proxy: Proxy, _ urls: [String], _ userInfo: String = "", addresses: AddressPolicy = .publicOnly)
        async throws -> [Result<ClientResponse, ClientFailure>]
    {
        let loop = try EventLoop(name: "proxy")
        try loop.start()
        defer {
            shutdown(proxy.listener.socket, Int32(SHUT_RDWR))
            loop.stop()
            close(proxy.listener.socket)
        }
        loop.execute { proxy.serve() }
        var results: [Result<ClientResponse, ClientFailure>] = []
        try await withClient(options: proxy.options(userInfo)) { test async throws in
            for url in urls {
                do { results.append(.success(try await test.send(.get(url, addresses: addresses)))) } catch {
                    results.append(.failure(try #require(error as? ClientFailure)))
                }
            }
        }
        return results
    }

    @Test func `F20: opens connections by the name of the server`() async throws {
        let proxy = Proxy()
        let answer = try await ask(proxy, ["http://server.example/path"], "ada:pass%20word@")[0].get()
        #expect(answer.status == 200 && answer.body == Array("ok".utf8) && answer["via"] == nil)
        #expect(proxy.seen.count == 2)
        #expect(proxy.seen.first?.hasPrefix("CONNECT server.example:80 HTTP/1.1\r\n") == true)
        #expect(proxy.seen.first?.contains("Proxy-Authorization: Basic YWRhOnBhc3Mgd29yZA==") == true)
        #expect(proxy.seen.last?.hasPrefix("GET /path HTTP/1.1\r\n") == true)
        #expect(proxy.seen.last?.contains("Proxy-") == false)
    }

    @Test func `F20: is not asked for private addresses, however spelled, local names or this machine`() async throws {
        let urls = [
            "http://10.0.0.1/", "http://192.168.1.1:8080/", "http://169.254.169.254/latest", "http://0xA000001/",
            "http://167772161/", "http://[fd00::1]/", "http://[::ffff:10.0.0.1]/", "http://intranet/",
            "http://printer.local/", "http://metadata.google.internal./", "http://10.1/", "http://router.home.arpa/",
            // Of this machine, which is judged as ever.
            "http://localhost:9/", "http://127.0.0.1:9/", "http://[::1]:9/",
        ]
        let proxy = Proxy()
        for (url, result) in zip(urls, try await ask(proxy, urls)) {
            if case .failure(.addressRefused) = result { continue }
            Issue.record("\(url): \(result)")
        }
        #expect(proxy.seen.isEmpty)
    }

    @Test func `F20: that refuses is named, without its address`() async throws {
        let proxy = Proxy(answering: "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        let result = try await ask(proxy, ["https://server.example/"])[0]
        guard case .failure(.other(let words)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(words == "the outgoing proxy answered with status 403")
    }

    @Test func `F20: that is not there is named`() async throws {
        let proxy = Proxy()
        let options = proxy.options()
        close(proxy.listener.socket)
        try await withClient(options: options) { test async throws in
            let failure = await test.failure(.get("https://server.example/", addresses: .publicOnly))
            #expect(failure == .other("the outgoing proxy takes no connection"))
        }
    }

    @Test(arguments: [
        "proxy.example:3128", "https://proxy.example:3128", "socks5://proxy.example:1080", "http://proxy.example",
        "http://user@proxy.example:3128", "http://proxy.example:0", "http://proxy.example:3128/path", "",
    ]) func `F20: is a URL of http with a port`(url: String) { #expect(OutgoingProxy(url) == nil) }
}
