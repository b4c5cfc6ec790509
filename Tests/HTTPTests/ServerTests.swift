import EventLoop
import TestSupport
import Testing

@testable import HTTP

@Suite struct `A request and its answer` {
    @Test func `a handler that does not wait answers`() async throws {
        try await withServer {
            $0.get(Route("/hello")) { _ in .text("Hello, Ada\n") }
        } _: { server async throws in
            let answer = try server.get("/hello")

            #expect(answer.status == 200)
            #expect(answer["content-type"] == "text/plain; charset=utf-8")
            #expect(answer.body == "Hello, Ada\n")
        }
    }

    @Test func `many requests follow one another on one connection, pipelined too`() async throws {
        try await withServer {
            $0.get(Route("/n/:n", Int.self)) { _, n in
                if n.isMultiple(of: 3) { await Task.yield() }
                return .text("\(n)")
            }
        } _: { server async throws in
            let client = try server.client()
            let requests = (0..<50).map { "GET /n/\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
            for (n, request) in requests.enumerated() {
                try client.send(request)
                #expect(try client.readAnswer().body == "\(n)")
            }
            try client.send(requests.prefix(20).joined())
            for n in 0..<20 { #expect(try client.readAnswer().body == "\(n)") }
        }
    }

    @Test func `HEAD is GET without the body`() async throws {
        try await withServer {
            $0.get(Route("/hello")) { request in .text(request.method == .head ? "12345" : "1") }
        } _: { server async throws in
            let client = try server.client(
                sending: "HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try client.readAnswer(hasBody: false)
            #expect(head.status == 200)
            #expect(head["content-length"] == "5")
            #expect(try client.readAnswer().body == "1")
        }
    }

    @Test func `HEAD of a GET that stores something is answered without it`() async throws {
        try await withServer {
            $0.get(Route("/begin"), .storing) { request in .text("\(request.method)") }
        } _: { server async throws in
            let client = try server.client(
                sending: "HEAD /begin HTTP/1.1\r\nHost: a\r\n\r\nGET /begin HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try client.readAnswer(hasBody: false)
            #expect(head.status == 204 && head["content-length"] == nil && head["cache-control"] == "no-store")
            #expect(try client.readAnswer().body == "get")
        }
    }

    @Test func `a form arrives in pieces`() async throws {
        try await withServer {
            $0.post(Route("/form"), .form) { request in .text(try request.form()["name"] ?? "nobody") }
        } _: { server async throws in
            let client = try server.client(sending: "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n")
            try client.send("Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n\r\nname")
            try await waitUntil { try await server.count(in: .body) == 1 }
            try client.send("=Ada%21x")

            #expect(try client.readAnswer().body == "Ada!x")
        }
    }

    @Test func `a chunked body arrives whole`() async throws {
        try await withServer {
            $0.post(Route("/echo")) { Response(body: $0.body) }
        } _: { server async throws in
            let head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            let answer = try server.ask(head + "3\r\nAda\r\n4;x=y\r\n&Ben\r\n0\r\n\r\n")

            #expect(answer.body == "Ada&Ben")
        }
    }

    @Test func `a client that waits for 100 is told to go on`() async throws {
        try await withServer {
            $0.post(Route("/echo")) { Response(body: $0.body) }
        } _: { server async throws in
            let client = try server.client(
                sending: "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.readAnswer().status == 100)
            try client.send("Ada")
            #expect(try client.readAnswer().body == "Ada")
        }
    }

    @Test func `the fields of an answer keep their order and may repeat`() async throws {
        try await withServer {
            $0.get(Route("/cookies")) { _ in
                var response = Response.empty()
                response.set(try SetCookie("a", "1"))
                response.set(try SetCookie("b", "2"))
                return response
            }
        } _: { server async throws in
            let answer = try server.get("/cookies")
            let cookies = answer.fields.filter { $0.name == "set-cookie" }.map { $0.value.prefix(3) }
            #expect(answer.status == 204)
            #expect(cookies == ["a=1", "b=2"])
        }
    }

    @Test func `a field with a line break is never sent`() async throws {
        try await withServer {
            $0.get(Route("/split")) { _ in .redirect(to: "/x\r\nSet-Cookie: a=b") }
            $0.get(Route("/nul")) { _ in .redirect(to: "/x\0y") }
        } _: { server async throws in
            for target in ["/split", "/nul"] {
                let answer = try server.get(target)
                #expect(answer.status == 500)
                #expect(answer["set-cookie"] == nil)
                #expect(answer["location"] == nil)
            }
        }
    }

    @Test func `a prepared answer is sent again and again`() async throws {
        let prepared = try PreparedResponse(.json(Array("{\"keys\":[]}".utf8)))
        try await withServer {
            $0.get("/keys", prepared)
        } _: { server async throws in
            for _ in 0..<3 {
                let answer = try server.get("/keys")
                #expect(answer.body == "{\"keys\":[]}")
                #expect(answer["content-type"] == "application/json")
            }
            let last = try server.get("/keys", "Connection: close\r\n")
            #expect(last["connection"]?.lowercased() == "close")
        }
    }

    @Test func `an error of a handler is decorated`() async throws {
        struct Oops: Error {}
        try await withServer(decorate: { refusal, request in
            guard case .failed(let error) = refusal, error is Oops else { return refusal.response }
            return .text("sorry, \(request.id)", status: Status(502))
        }) {
            $0.get(Route("/oops")) { _ in throw Oops() }
            $0.get(Route("/gone")) { _ in throw HTTPError.notFound }
        } _: { server async throws in
            let oops = try server.get("/oops")
            #expect(oops.status == 502)
            #expect(oops.body.hasPrefix("sorry, "))
            #expect(try server.get("/gone").status == 404)
        }
    }

    @Test func `the end of a request is reported once`() async throws {
        try await withServer {
            $0.get(Route("/teams/:team", String.self)) { _, _ in .empty() }
        } _: { server async throws in
            _ = try server.get("/teams/acme")
            _ = try server.get("/rival")
            let lines = try await server.finished.wait(for: 2)
            #expect(lines.map(\.pattern) == ["/teams/:team", nil])
            #expect(lines.map(\.status) == [204, 404])
            #expect(lines.map(\.wasSent) == [true, true])
        }
    }
}
