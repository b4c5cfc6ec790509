import EventLoop
import Glibc
import TestSockets
import Testing

@testable import HTTP

@Suite struct `Servers that misbehave` {
    /// How a request ends whose server answers with these octets and closes.
    private func ask(_ answer: [UInt8], _ scheme: String = "http") async throws -> Result<ClientResponse, ClientFailure>
    {
        let server = LoopbackListener()
        let loop = try EventLoop(name: "strange")
        try loop.start()
        defer {
            // Whoever waits for a connection that does not come is woken.
            shutdown(server.socket, Int32(SHUT_RDWR))
            loop.stop()
            close(server.socket)
        }
        loop.execute {
            let connection = accept(server.socket, nil, nil)
            guard connection >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 4096)
            unsafe recv(connection, &request, request.count, 0)
            unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(connection)
        }
        var result = Result<ClientResponse, ClientFailure>.failure(.cancelled)
        try await withClient { test async throws in
            do { result = .success(try await test.send(.get("\(scheme)://127.0.0.1:\(server.port)/"))) } catch {
                result = .failure(try #require(error as? ClientFailure))
            }
        }
        return result
    }

    private func ask(_ answer: String) async throws -> Result<ClientResponse, ClientFailure> {
        try await ask(Array(answer.utf8))
    }

    private func expectMalformed(_ answer: [UInt8], _ what: String) async throws {
        let result = try await ask(answer)
        guard case .failure(.malformedAnswer) = result else { return #expect(Bool(false), "\(what): \(result)") }
    }

    private func expectMalformed(_ answer: String, _ what: String? = nil) async throws {
        try await expectMalformed(Array(answer.utf8), what ?? String(answer.prefix(80)))
    }

    @Test func `an answer that is none is no success`() async throws {
        for answer in [
            "", "\u{0}\u{1}\u{2}", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 999999 X\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "GET / HTTP/1.1\r\n\r\n",
        ] {
            switch try await ask(answer) {
            // libcurl takes what has no status line of HTTP for another protocol.
            case .failure(.malformedAnswer), .failure(.malformedRequest): break
            case let result: Issue.record("\(answer): \(result)")
            }
        }
    }

    /// The alert protocol_version, and a ServerHello of that version (RFC 4346 sections 7.2 and 7.4.1.3).
    @Test(arguments: [
        [0x15, 3, 2, 0, 2, 2, 70],
        [0x16, 3, 2, 0, 42, 2, 0, 0, 38, 3, 2] + [UInt8](repeating: 7, count: 32) + [0, 0, 0x2F, 0],
    ]) func `F18: one that speaks TLS 1.1 alone is told by its version`(answer: [UInt8]) async throws {
        guard case .failure(.untrusted(.oldVersion, let words)) = try await ask(answer, "https") else {
            Issue.record("\(try await ask(answer, "https"))")
            return
        }
        #expect(words.contains("TLS 1.1"))
    }

    @Test func `a head without end is cut`() async throws {
        let fields = (0..<4000).map { "X-\($0): " + String(repeating: "y", count: 20) + "\r\n" }.joined()
        try await expectMalformed("HTTP/1.1 200 OK\r\n" + fields + "\r\n")
    }

    @Test(arguments: ["\u{1F1E9}", "e\u{0315}\u{0301}", " \u{200D}", "\u{0301}"])
    func `S32, V52: fields cost no more than their octets, whatever characters they make`(text: String) async throws {
        let short = String(repeating: text, count: 4000 / text.utf8.count)
        let answer = try await ask("HTTP/1.1 200 OK\r\nX-Flags: \(short)\r\nConnection: close\r\n\r\n").get()
        let value = try #require(answer["x-flags"])
        #expect(value.utf8.count <= short.utf8.count && value.utf8.allSatisfy { $0 < 0x80 })
        let long = String(repeating: text, count: 60_000 / text.utf8.count)
        try await expectMalformed("HTTP/1.1 200 OK\r\nX-Flags: \(long)\r\n\r\n")
    }

    @Test func `S32, V52: names of fields are tokens, and heads before the last one are few`() async throws {
        let head = "HTTP/1.1 200 OK\r\n\u{0301}: no\r\nX-Real: \t yes \r\nContent-Length: 0\r\n\r\n"
        let answer = try await ask(head).get()
        #expect(answer.fields.map(\.name) == ["X-Real", "Content-Length"])
        #expect(answer["x-REAL"] == "yes")
        let heads = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n", count: 1000)
        try await expectMalformed(heads + "HTTP/1.1 204 No Content\r\n\r\n")
    }

    /// "hello" by gzip; libcurl would undo it, and however many there are one inside the other.
    private static let compressed: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
    ]

    @Test func `V52, V55: no coding of a transfer is undone that nobody asked for`() async throws {
        for coding in [
            "gzip", "gzip, chunked", "gzip, gzip, gzip, chunked", "deflate", "zstd", "br", "chunked, gzip",
            "chunked\r\nTransfer-Encoding: gzip",
        ] {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n"
            let chunks = Array("19\r\n".utf8) + Self.compressed + Array("\r\n0\r\n\r\n".utf8)
            try await expectMalformed(Array(head.utf8) + chunks, coding)
        }
    }

    @Test func `a coding of the content is left as it came`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n"
        #expect(try await ask(Array(head.utf8) + Self.compressed).get().body == Self.compressed)
    }

    @Test func `what follows the body takes nothing back of the head`() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nRetry-After: 7\r\n\r\n"
        let rest = "2\r\nhi\r\n0\r\nHTTP/1.1: 500 X\r\nRetry-After: 9\r\nX-Late: yes\r\n\r\n"
        let answer = try await ask(head + rest).get()
        #expect(answer["retry-after"] == "7" && answer["x-late"] == nil)
        #expect(answer.body == Array("hi".utf8))
    }

    @Test(arguments: ["a:\n", "a: b\r\n x\r\n"]) func `V52, V55: lines after the body count with those before it`(
        line: String
    ) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n"
        _ = try await ask(head + String(repeating: line, count: 100) + "\r\n").get()
        try await expectMalformed(head + String(repeating: line, count: 20_000) + "\r\n", line)
    }

    @Test func `a certificate must be trusted and name the host`() async throws {
        try await TestCertificate.with { own in
            let tls = ServerTLS(certificate: own.certificate, key: own.key)
            var options = HTTPClient.Options()

            try await withClient(options: options, tls: tls) {
                $0.get(Route("/")) { _ in .text("here") }
            } _: { test async throws in
                let request = ClientRequest.get("https://localhost:\(test.port)/")
                guard case .untrusted(.selfSigned, _) = await test.failure(request) else {
                    Issue.record("a certificate of nobody was taken")
                    return
                }
            }
            options.trustedCertificates = own.file
            try await withClient(options: options, tls: tls) {
                $0.get(Route("/")) { _ in .text("here") }
            } _: { test async throws in
                let named = ClientRequest.get("https://localhost:\(test.port)/")
                let answer = try await test.send(named)
                #expect(answer.body == Array("here".utf8) && answer.certificate == nil)
                // Asked for on a connection of its own, whatever is open already.
                var curious = named
                curious.asksForCertificate = true
                #expect(try await test.send(curious).certificate?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
                let other = ClientRequest.get("https://127.0.0.1:\(test.port)/")
                guard case .untrusted(.otherName, _) = await test.failure(other) else {
                    Issue.record("a certificate for another name was taken")
                    return
                }
            }
        }
    }
}
