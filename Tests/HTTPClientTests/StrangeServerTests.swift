import EventLoop
import Glibc
import HTTP
import TestSockets
import Testing

@testable import HTTPClient

@Suite struct `Servers that misbehave` {
    /// Listens on a port of its own, and answers the first connection with `answer` before closing it.
    private func withAnswer(_ answer: [UInt8], _ body: (UInt16) async throws -> Void) async throws {
        let server = LoopbackListener()
        let listener = server.socket
        defer { close(listener) }
        let loop = try EventLoop(name: "strange")
        try loop.start()
        loop.execute {
            let connection = accept(listener, nil, nil)
            var request = [UInt8](repeating: 0, count: 4096)
            unsafe recv(connection, &request, request.count, 0)
            unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
        try await body(server.port)
        loop.stop()
    }

    @Test(
        arguments: [
            "", "\u{0}\u{1}\u{2}", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
            "HTTP/1.1 999999 X\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "GET / HTTP/1.1\r\n\r\n",
        ]
    )
    func `an answer that is none is no success`(answer: String) async throws {
        try await withAnswer(Array(answer.utf8)) { port in
            try await withClient { test async throws in
                let request = ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                let outcome = await test.failure(request)
                #expect(outcome != nil)
                #expect(outcome != .deadlinePassed)
            }
        }
    }

    @Test func `a head without end is cut`() async throws {
        let fields = (0..<4000).map { "X-\($0): " + String(repeating: "y", count: 20) + "\r\n" }.joined()
        try await withAnswer(Array(("HTTP/1.1 200 OK\r\n" + fields + "\r\n").utf8)) { port in
            try await withClient { test async throws in
                let request = ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                #expect(await test.failure(request) == .malformedAnswer)
            }
        }
    }

    @Test(arguments: ["\u{1F1E9}", "e\u{0315}\u{0301}", " \u{200D}", "\u{0301}"])
    func `S32, V52: fields cost no more than their octets, whatever characters they make`(text: String)
        async throws
    {
        let short = String(repeating: text, count: 4000 / text.utf8.count)
        let head = "HTTP/1.1 200 OK\r\nX-Flags: \(short)\r\nConnection: close\r\n\r\n"
        try await withAnswer(Array(head.utf8)) { port in
            try await withClient { test async throws in
                let answer = try await test.send(
                    ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                )
                let value = try #require(answer["x-flags"])
                #expect(value.utf8.count <= short.utf8.count && value.utf8.allSatisfy { $0 < 0x80 })
            }
        }
        let long = String(repeating: text, count: 60_000 / text.utf8.count)
        try await withAnswer(Array("HTTP/1.1 200 OK\r\nX-Flags: \(long)\r\n\r\n".utf8)) { port in
            try await withClient { test async throws in
                let request = ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                #expect(await test.failure(request) == .malformedAnswer)
            }
        }
    }

    @Test func `S32, V52: names of fields are tokens, and heads before the last one are few`() async throws {
        let head = "HTTP/1.1 200 OK\r\n\u{0301}: no\r\nX-Real: \t yes \r\nContent-Length: 0\r\n\r\n"
        try await withAnswer(Array(head.utf8)) { port in
            try await withClient { test async throws in
                let answer = try await test.send(
                    ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                )
                #expect(answer.fields.map(\.name) == ["X-Real", "Content-Length"])
                #expect(answer["x-REAL"] == "yes")
            }
        }
        let heads = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n", count: 1000)
        try await withAnswer(Array((heads + "HTTP/1.1 204 No Content\r\n\r\n").utf8)) { port in
            try await withClient { test async throws in
                let request = ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                #expect(await test.failure(request) == .malformedAnswer)
            }
        }
    }

    @Test func `a certificate must be trusted and name the host`() async throws {
        let folder = "/tmp/pippin-client-tls-\(UInt64.random(in: .min ... .max))"
        let subject = "-subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2"
        let curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        let files = "-keyout \(folder)/key.pem -out \(folder)/certificate.pem"
        _ = try shell("mkdir \(folder) && openssl req -x509 \(curve) \(subject) \(files) 2>&1")
        let key = try shell("cat \(folder)/key.pem")
        let certificate = try shell("cat \(folder)/certificate.pem")
        defer { _ = try? shell("rm -r \(folder)") }
        let tls = ServerTLS(certificate: certificate, key: key)
        var options = HTTPClient.Options()

        try await withClient(options: options, tls: tls) {
            $0.get(Route("/")) { _ in .text("here") }
        } _: { test async throws in
            let request = ClientRequest("GET", "https://localhost:\(test.port)/", addresses: .any)
            guard case .untrusted(.selfSigned, _) = await test.failure(request) else {
                Issue.record("a certificate of nobody was taken")
                return
            }
        }
        options.trustedCertificates = folder + "/certificate.pem"
        try await withClient(options: options, tls: tls) {
            $0.get(Route("/")) { _ in .text("here") }
        } _: { test async throws in
            let named = ClientRequest("GET", "https://localhost:\(test.port)/", addresses: .any)
            let answer = try await test.send(named)
            #expect(answer.body == Array("here".utf8) && answer.certificate == nil)
            // Asked for on a connection of its own, whatever is open already.
            var curious = named
            curious.asksForCertificate = true
            #expect(
                try await test.send(curious).certificate?.hasPrefix("-----BEGIN CERTIFICATE-----") == true
            )
            let other = ClientRequest("GET", "https://127.0.0.1:\(test.port)/", addresses: .any)
            guard case .untrusted(.otherName, _) = await test.failure(other) else {
                Issue.record("a certificate for another name was taken")
                return
            }
        }
    }

    private func shell(_ command: String) throws -> String {
        let stream = try unsafe #require(unsafe popen(command, "r"))
        defer { unsafe pclose(stream) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, stream)
            if count == 0 { return String(decoding: output, as: UTF8.self) }
            output += buffer[..<count]
        }
    }
}
