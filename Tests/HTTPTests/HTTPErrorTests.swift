import TestSupport
import Testing

@testable import HTTP

@Suite struct `What is refused before a handler runs` {
    private func withForms(_ body: (TestServer) async throws -> Void) async throws {
        try await withServer {
            $0.get(Route("/form")) { _ in .text("form") }
            $0.post(Route("/form"), RouteOptions(bodyLimit: 10, contentTypes: [.form])) { request in
                Response(body: request.body)
            }
            $0.get(Route("/teams/:team", String.self)) { _, team in .text(team) }
        } _: { server async throws in
            try await body(server)
        }
    }

    /// All that comes for these octets until the connection ends, which may take the time-out.
    private func answers(_ server: TestServer, to octets: [UInt8]) async throws -> String {
        let client = try server.client(sending: octets)
        client.finishSending()
        try await server.settle()
        try await server.pass(.testTimeout)
        return try client.readToEnd()
    }

    private let form = "Content-Type: application/x-www-form-urlencoded\r\n"

    @Test func `V3: a target that two readers could read in two ways is a bad request`() async throws {
        let targets = [
            "/form;x", "/form%3b", "/teams/a%2fb", "/teams/a%2Fb", "/teams/a%5cb", "/teams/a%5Cb", "/teams/a\\b",
            "/teams/a%00b", "/../form", "/teams/..", "/teams/%2e%2e", "/teams/.%2E/form", "//form", "/teams//a",
            "/teams/a%0ab", "/teams/%7f", "/teams/a%", "/teams/a%2", "/teams/a%zz", "/teams/a#b", "/teams/\u{e9}",
            "form", "*", "http://localhost/form", "localhost:80", "/form?a=%", "/form?a=%00", "/form?a=%g1",
            "/form?\u{1}", "/teams/a\u{1}b",
        ]
        try await withForms { server async throws in
            for target in targets {
                let answer = try server.get(target)
                #expect(answer.status == 400 && answer["connection"]?.lowercased() == "close", "\(target)")
            }
        }
    }

    @Test func `a query may hold what a path may not`() async throws {
        try await withForms { server async throws in
            for target in ["/form?a=%2F;b=//../%5c", "/form?", "/form?redirect=https%3a%2f%2fx"] {
                #expect(try server.get(target).status == 200, "\(target)")
            }
        }
    }

    @Test func `V33: a head whose end or host is in doubt is a bad request`() async throws {
        let doubts = [
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n",
            "Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: 1, 1\r\n", "Content-Length: +1\r\n",
            "Content-Length: -1\r\n", "Content-Length: 0x1\r\n", "Content-Length: \r\n",
            "Content-Length: 99999999999999999999\r\n", "Host: other\r\n", "Transfer-Encoding: identity\r\n",
            "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Content Length: 1\r\n", "X\u{1}: y\r\n", "X: y\u{1}z\r\n", "X : y\r\n", ": y\r\n",
        ]
        try await withForms { server async throws in
            for fields in doubts {
                let client = try server.client(sending: "POST /form HTTP/1.1\r\nHost: a\r\n\(form)\(fields)\r\n")
                #expect([400, 413].contains(try client.readAnswer().status), "\(fields)")
                #expect(client.isClosed(), "\(fields)")
            }
        }
    }

    @Test func `another version is refused, and a missing host but in HTTP 1.0`() async throws {
        try await withForms { server async throws in
            for version in ["HTTP/2.0", "HTTP/0.9", "HTTP/1.9", "http/1.1", "XYZ", ""] {
                let request = "GET /form \(version)\r\nHost: a\r\n\r\n"
                let answers = try await answers(server, to: Array(request.utf8))
                #expect(!answers.contains("form\n") && !answers.contains(" 200 "), "\(version)")
            }
            #expect(try server.ask("GET /form HTTP/1.1\r\n\r\n").status == 400)
            #expect(try server.ask("GET /form HTTP/1.0\r\n\r\n").status == 200)
        }
    }

    @Test func `nothing there is 404 and keeps the connection`() async throws {
        try await withForms { server async throws in
            let client = try server.client(sending: "GET /rival HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().status == 404)
            try client.send("POST /rival HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx=y")
            #expect(try client.readAnswer().status == 404)
            try client.send("GET /form HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().body == "form")
        }
    }

    @Test func `another method is 405 and says which are allowed`() async throws {
        try await withForms { server async throws in
            for method in ["DELETE", "PUT", "OPTIONS", "BREW", "get", "TRACE"] {
                let answer = try server.ask("\(method) /form HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(answer.status == 405 && answer["allow"] == "GET, HEAD, POST", "\(method)")
            }
        }
    }

    @Test func `a body beyond the limit is 413, a long one before it is sent, and one at it is taken`() async throws {
        try await withForms { server async throws in
            let client = try server.client(
                sending: "POST /form HTTP/1.1\r\nHost: a\r\n\(form)Content-Length: 70000\r\n\r\n")
            let answer = try client.readAnswer()
            #expect(answer.status == 413)
            #expect(answer["connection"]?.lowercased() == "close")
            #expect(client.isClosed())
            let other = try server.client()
            for (body, status) in [("0123456789x", 413), ("0123456789", 200)] {
                let head = "POST /form HTTP/1.1\r\nHost: a\r\n\(form)Content-Length: \(body.utf8.count)\r\n\r\n"
                try other.send(head + body)
                #expect(try other.readAnswer().status == status)
            }
        }
    }

    @Test func `a chunked body beyond the limit is 413 after it`() async throws {
        try await withForms { server async throws in
            let client = try server.client(
                sending: "POST /form HTTP/1.1\r\nHost: a\r\n\(form)Transfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<100 { try client.send("5\r\nhello\r\n") }
            try client.send("0\r\n\r\n")
            #expect(try client.readAnswer().status == 413)
            #expect(client.isClosed())
        }
    }

    @Test func `an endless chunked body is cut`() async throws {
        try await withForms { server async throws in
            let client = try server.client(
                sending: "POST /form HTTP/1.1\r\nHost: a\r\n\(form)Transfer-Encoding: chunked\r\n\r\n")
            let chunk = "10000\r\n" + String(repeating: "x", count: 65536) + "\r\n"
            #expect(throws: RawFailure.self) { for _ in 0..<1000 { try client.send(chunk) } }
        }
    }

    @Test func `another content type is 415 and keeps the connection`() async throws {
        try await withForms { server async throws in
            let client = try server.client()
            for field in ["Content-Type: application/json\r\n", "", "Content-Type: \r\n"] {
                try client.send("POST /form HTTP/1.1\r\nHost: a\r\n\(field)Content-Length: 2\r\n\r\n{}")
                #expect(try client.readAnswer().status == 415, "\(field)")
            }
            try client.send("GET /form HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().status == 200)
        }
    }

    @Test func `a head or a target beyond the limit is refused`() async throws {
        try await withForms { server async throws in
            let fits = "X: " + String(repeating: "a", count: 16_000) + "\r\n"
            #expect(try server.get("/form", fits).status == 200)
            let long = "X: " + String(repeating: "a", count: 16_400) + "\r\n"
            #expect(try server.get("/form", long).status == 431)
            // Also where it fills the memory that the answer needs, too.
            for size in stride(from: 16_500, to: 36_000, by: 400) {
                let field = "X: " + String(repeating: "a", count: size) + "\r\n"
                #expect(try server.get("/form", field).status == 431, "\(size)")
            }
            let huge = "X: " + String(repeating: "a", count: 100_000) + "\r\n"
            #expect(try server.get("/form", huge).status == 431)
            let many = (0..<3_000).map { _ in "a:b\r\n" }.joined()
            #expect(try server.get("/form", many).status == 431)
            #expect([414, 431].contains(try server.get("/" + String(repeating: "a", count: 40_000)).status))
        }
    }

    @Test func `every refusal is decorated by the application`() async throws {
        try await withServer(decorate: { refusal, _ in
            var response = refusal.response
            response.body = Array("dressed".utf8)
            response.append(.contentSecurityPolicy, "default-src 'none'")
            return response
        }) {
            $0.post(Route("/form"), .form) { _ in .empty() }
        } _: { server async throws in
            let requests = [
                "GET /a;b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /x HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /form HTTP/1.1\r\nHost: a\r\n\r\n", "GET /form HTTP/1.1\r\n\r\n",
                "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n",
                "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
            ]
            for request in requests {
                let answer = try server.ask(request)
                #expect(answer.body == "dressed")
                #expect(answer["content-security-policy"] == "default-src 'none'")
            }
            #expect(try server.ask(requests[2])["allow"] == "POST")
        }
    }

    @Test func `V33: garbage never gets an answer that claims success`() async throws {
        try await withForms { server async throws in
            var garbage = Garbage(seed: 33)
            let head = "GET /form HTTP/1.1\r\nHost"
            for round in 0..<50 {
                let length = Int.random(in: 1...300, using: &garbage)
                let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &garbage) }
                let answers = try await answers(server, to: Array(head.utf8) + noise)
                #expect(!answers.contains(" 200 "), "\(round)")
            }
            #expect(try server.get("/form").status == 200)
        }
    }
}
