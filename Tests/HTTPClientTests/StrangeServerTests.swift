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

    @Test(arguments: [
        "", "\u{0}\u{1}\u{2}", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 999999 X\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "GET / HTTP/1.1\r\n\r\n",
    ]) func `an answer that is none is no success`(answer: String) async throws {
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
    func `S32, V52: fields cost no more than their octets, whatever characters they make`(text: String) async throws {
        let short = String(repeating: text, count: 4000 / text.utf8.count)
        let head = "HTTP/1.1 200 OK\r\nX-Flags: \(short)\r\nConnection: close\r\n\r\n"
        try await withAnswer(Array(head.utf8)) { port in
            try await withClient { test async throws in
                let answer = try await test.send(ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any))
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
                let answer = try await test.send(ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any))
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

    /// "hello" by gzip; libcurl would undo it, and however many there are one inside the other.
    private static let compressed: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
    ]

    @Test(arguments: [
        "gzip", "gzip, chunked", "gzip, gzip, gzip, chunked", "deflate", "zstd", "br", "chunked, gzip",
        "chunked\r\nTransfer-Encoding: gzip",
    ]) func `V52, V55: no coding of a transfer is undone that nobody asked for`(coding: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n"
        let chunks = Array("19\r\n".utf8) + Self.compressed + Array("\r\n0\r\n\r\n".utf8)
        try await withAnswer(Array(head.utf8) + chunks) { port in
            try await withClient { test async throws in
                let request = ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                #expect(await test.failure(request) == .malformedAnswer)
            }
        }
    }

    @Test func `a coding of the content is left as it came`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n"
        try await withAnswer(Array(head.utf8) + Self.compressed) { port in
            try await withClient { test async throws in
                let request = ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                #expect(try await test.send(request).body == Self.compressed)
            }
        }
    }

    @Test func `what follows the body takes nothing back of the head`() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nRetry-After: 7\r\n\r\n"
        let rest = "2\r\nhi\r\n0\r\nHTTP/1.1: 500 X\r\nRetry-After: 9\r\nX-Late: yes\r\n\r\n"
        try await withAnswer(Array((head + rest).utf8)) { port in
            try await withClient { test async throws in
                let request = ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                let answer = try await test.send(request)
                #expect(answer["retry-after"] == "7" && answer["x-late"] == nil)
                #expect(answer.body == Array("hi".utf8))
            }
        }
    }

    @Test(arguments: ["a:\n", "a: b\r\n x\r\n"]) func `V52, V55: lines after the body count with those before it`(
        line: String
    ) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n"
        for (count, failure) in [(100, nil), (20_000, ClientFailure.malformedAnswer)] {
            let trailers = String(repeating: line, count: count)
            try await withAnswer(Array((head + trailers + "\r\n").utf8)) { port in
                try await withClient { test async throws in
                    let request = ClientRequest("GET", "http://127.0.0.1:\(port)/", addresses: .any)
                    #expect(await test.failure(request) == failure)
                }
            }
        }
    }

    @Test func `a certificate must be trusted and name the host`() async throws {
        try await TestCertificate.with { own in
            let tls = ServerTLS(certificate: own.certificate, key: own.key)
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
            options.trustedCertificates = own.file
            try await withClient(options: options, tls: tls) {
                $0.get(Route("/")) { _ in .text("here") }
            } _: { test async throws in
                let named = ClientRequest("GET", "https://localhost:\(test.port)/", addresses: .any)
                let answer = try await test.send(named)
                #expect(answer.body == Array("here".utf8) && answer.certificate == nil)
                // Asked for on a connection of its own, whatever is open already.
                var curious = named
                curious.asksForCertificate = true
                #expect(try await test.send(curious).certificate?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
                let other = ClientRequest("GET", "https://127.0.0.1:\(test.port)/", addresses: .any)
                guard case .untrusted(.otherName, _) = await test.failure(other) else {
                    Issue.record("a certificate for another name was taken")
                    return
                }
            }
        }
    }
}
