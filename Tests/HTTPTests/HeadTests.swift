import Testing

@testable import HTTP

/// libmicrohttpd 0.9.75 reads heads in ways that a server in front of it may not; each is met here.
@Suite struct `Heads that hide a second request` {
    /// A request whose answer ends the connection, as every refusal does.
    private let second = "GET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    private func answers(to request: String) async throws -> [Substring] {
        var answers: [Substring] = []
        try await withServer {
            $0.get(Route("/")) { _ in .text("first") }
            $0.post(Route("/")) { _ in .text("first") }
            $0.get(Route("/second")) { _ in .text("second") }
        } _: { server async throws in
            let client = try server.client(sending: request)
            answers = try client.readToEnd().split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        }
        return answers
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n", "GET / HTTP/1.1\r\n: x\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\0: x\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\0\0\r\n",
        "GET / HTTP/1.1\nHost: a\n\0\n", "GET / HTTP/1.1\nHost: a\n\0\0\n", "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\0z\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n: z\r\nY: z\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\0x HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\rX: y\r\n\r\n",
    ]) func `a head with octets unaccounted for is refused and is the last`(head: String) async throws {
        #expect(try await answers(to: head + second) == ["400"])
    }

    @Test func `nothing is read after a chunked body`() async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

        #expect(try await answers(to: head + "1\r\nx\r\n0\r\n: x\r\n" + second) == ["400"])
        #expect(try await answers(to: head + "0\r\n\r\n" + second) == ["200"])
    }

    @Test(arguments: [
        "X:y\r\n", "X:\r\n", "X: \r\n", "X:  y \t \r\nY:\ty\r\n", "", "Cookie: a=b; c=\"d\"\r\n",
        "X: \(String(repeating: "x", count: 9000))\r\nY: y\r\n", "Authorization: Basic YTpi\r\n",
    ]) func `a head as clients send it is taken, in whatever pieces`(fields: String) async throws {
        try await withServer { server async throws in
            let client = try server.client()
            let request = "\r\nGET /?a=b&c HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
            for size in [1, 7, 1000, 20_000] where request.utf8.count / size < 2000 {
                var rest = Array(request.utf8)[...]
                while !rest.isEmpty {
                    try client.send(Array(rest.prefix(size)))
                    rest = rest.dropFirst(size)
                }
                #expect(try client.readAnswer().status == 200)
            }
        }
    }

    @Test(arguments: ["Nothing\r\n", "X\0: y\r\n"])
    func `what libmicrohttpd refuses by itself is refused, in its own words`(field: String) async throws {
        #expect(try await answers(to: "GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n" + second) == ["400"])
    }

    @Test func `blanks around a value are not part of it`() async throws {
        try await withServer {
            $0.get(Route("/now")) { .text("[\($0[.origin] ?? "")]") }
            $0.get(Route("/later")) { request in
                await Task.yield()
                return .text("[\(request[.origin] ?? "")] \(request.fields.map(\.name))")
            }
        } _: { server async throws in
            #expect(try server.get("/now", "oRIGIN:\t x y \t\r\n").body == "[x y]")
            #expect(try server.get("/later", "oRIGIN:\t x y \t\r\n").body == "[x y] [\"Host\", \"oRIGIN\"]")
        }
    }

    @Test(arguments: [1, 320, 349, 3000])
    func `V33: a request with many query parameters is answered, and so is the next`(count: Int) async throws {
        let target = "/?" + (0..<count).map { _ in "a" }.joined(separator: "&")
        #expect(try await answers(to: "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n" + second) == ["200", "200"])
    }
}
