import Testing

@testable import HTTP

@Suite struct `The host that is asked for` {
    private static let local = [
        "localhost", "localhost:8080", "LOCALHOST", "localhost.", "apple.localhost:8080", "127.0.0.1",
        "127.1.2.3:99999", "[::1]", "[::1]:8080", "pippin.test", "Pippin.Test:80",
    ]
    private static let foreign = [
        "evil.example", "localhost.evil.example", "evillocalhost", ".localhost", "127.0.0.1.evil.example", "127.0.0.1x",
        "128.0.0.1", "127.0.0", "0.0.0.0", "[::2]", "[::ffff:127.0.0.1]", "192.168.0.1", "pippin.test.evil.example", "",
        ":8080", "2130706433",
    ]

    private func withLocalServer(_ body: (TestServer) async throws -> Void) async throws {
        try await withServer(options: { $0.hosts = HostRule(local: "pippin.test") }) {
            $0.get(Route("/")) { _ in .text("here") }
            $0.post(Route("/")) { _ in .text("taken") }
        } _: { server async throws in
            try await body(server)
        }
    }

    @Test(arguments: local) func `S22: a server for this machine answers under its names`(host: String) async throws {
        try await withLocalServer { server async throws in
            #expect(try server.ask("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").body == "here")
        }
    }

    @Test(arguments: foreign) func `S22: named as a website it answers 421 and does nothing`(host: String) async throws
    {
        try await withLocalServer { server async throws in
            let answer = try server.ask("POST / HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 1\r\n\r\nx")
            #expect(answer.status == 421 && !answer.body.contains("taken"))
            #expect(answer["x-content-type-options"] == "nosniff")
            // Nor does it say which addresses there are.
            #expect(try server.ask("GET /nowhere HTTP/1.1\r\nHost: \(host)\r\n\r\n").status == 421)
        }
    }

    @Test func `without a rule every host is answered, as behind proxies that send their own name`() async throws {
        try await withServer { server async throws in
            #expect(try server.ask("GET / HTTP/1.1\r\nHost: upstream-7\r\n\r\n").body == "here")
        }
    }

    @Test func `S44: every answer forbids guessing what its body is`() async throws {
        let prepared = try PreparedResponse(.json(Array("{}".utf8)))
        try await withServer {
            $0.get(Route("/text")) { _ in .text("here") }
            $0.get(Route("/redirect")) { _ in .redirect(to: "/") }
            $0.get(Route("/failed")) { _ in throw RawFailure.system(0) }
            $0.get("/prepared", prepared)
            $0.post(Route("/form"), .form) { _ in .empty() }
        } _: { server async throws in
            for path in ["/text", "/redirect", "/failed", "/prepared", "/nowhere", "/form", "//"] {
                let answer = try server.get(path)
                #expect(answer.fields.count { $0.name == "x-content-type-options" } == 1, "\(path)")
                #expect(answer["x-content-type-options"] == "nosniff")
            }
        }
    }
}
