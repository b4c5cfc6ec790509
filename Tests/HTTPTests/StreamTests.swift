import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite struct `A body made while it is sent` {
    /// Counts up to `count`, a line a piece; every other piece comes after a suspension.
    private static func lines(_ count: Int) -> BodyStream {
        let next = Atomic(0)
        return BodyStream {
            let number = next.add(1, ordering: .relaxed).newValue
            if number.isMultiple(of: 2) { await Task.yield() }
            return number > count ? nil : Array("line \(number)\n".utf8)
        }
    }

    private static func text(_ count: Int) -> String { (1...count).map { "line \($0)\n" }.joined() }

    @Test func `arrives whole and in order, and the connection serves on`() async throws {
        try await withServer {
            $0.get(Route("/lines")) { _ in
                Response(fields: [HeaderField(.contentType, "text/plain")], stream: Self.lines(50))
            }
            $0.get(Route("/next")) { _ in .text("next") }
        } _: { server async throws in
            let client = try server.client(sending: "GET /lines HTTP/1.1\r\nHost: a\r\n\r\n")
            try client.send("GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let answers = try client.readToEnd()

            let parts = answers.split(separator: "\r\n\r\n").map(String.init)
            #expect(parts[0].lowercased().contains("transfer-encoding: chunked"))
            #expect(Self.unchunked(parts[1]) == Self.text(50))
            #expect(answers.hasSuffix("\r\n\r\nnext"))
        }
    }

    @Test func `ends with the connection for a client of HTTP 1.0`() async throws {
        try await withServer {
            $0.get(Route("/lines")) { _ in Response(stream: Self.lines(7)) }
        } _: { server async throws in
            let client = try server.client(sending: "GET /lines HTTP/1.0\r\nHost: a\r\n\r\n")

            #expect(try client.readToEnd().hasSuffix("\r\n\r\n" + Self.text(7)))
        }
    }

    @Test func `is asked for no faster than the client takes it, and no longer than it stays`() async throws {
        let made = Atomic(0)
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        try await withServer {
            $0.get(Route("/endless")) { _ in
                Response(
                    stream: BodyStream {
                        made.add(1, ordering: .relaxed)
                        await Task.yield()
                        return piece
                    })
            }
        } _: { server async throws in
            var client: RawClient? = try server.client()
            try client?.send("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")
            // Until the buffers are full: the server has nothing more to do.
            try await waitUntil {
                let before = made.load(ordering: .relaxed)
                try await server.settle()
                let isIdle = made.load(ordering: .relaxed) == before
                return try await server.count(in: .delivery) == 1 && isIdle
            }

            // What the buffers of a socket hold, and not one piece more.
            let taken = made.load(ordering: .relaxed)
            #expect((1...64).contains(taken))

            client = nil
            let lines = try await server.finished.wait(for: 1)
            #expect(lines.map(\.wasSent) == [false])
            let madeAfterwards = made.load(ordering: .relaxed)
            #expect(madeAfterwards <= taken + 1)
        }
    }

    @Test func `that fails is cut, never ended as if it were whole`() async throws {
        try await withServer {
            $0.get(Route("/half")) { _ in
                let next = Atomic(0)
                return Response(
                    stream: BodyStream {
                        guard next.add(1, ordering: .relaxed).newValue < 3 else { throw RawFailure.system(5) }
                        await Task.yield()
                        return Array("half".utf8)
                    })
            }
        } _: { server async throws in
            let client = try server.client(sending: "GET /half HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try client.readToEnd()

            #expect(answer.hasPrefix("HTTP/1.1 200") && !answer.hasSuffix("0\r\n\r\n"))
            #expect(try await server.finished.wait(for: 1).map(\.wasSent) == [false])
        }
    }

    @Test func `whose next piece does not come is cut, and its maker is told`() async throws {
        let wasCancelled = Atomic(false)
        try await withServer {
            $0.get(Route("/stuck")) { _ in
                Response(
                    stream: BodyStream {
                        do { try await Task.sleep(for: .testTimeout) } catch {
                            wasCancelled.store(true, ordering: .relaxed)
                        }
                        return nil
                    })
            }
        } _: { server async throws in
            let client = try server.client(sending: "GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waitUntil { try await server.count(in: .production) == 1 }
            try await server.pass(.testTimeout)

            #expect(!(try client.readToEnd().hasSuffix("0\r\n\r\n")))
            try await waitUntil { wasCancelled.load(ordering: .relaxed) }
        }
    }

    @Test func `does not hold up the end of the server`() async throws {
        let gate = Gate()
        try await withServer {
            $0.get(Route("/stuck")) { _ in
                Response(
                    stream: BodyStream {
                        await gate.wait()
                        return nil
                    })
            }
        } _: { server async throws in
            let client = try server.client(sending: "GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n")
            try await waitUntil { try await server.count(in: .production) == 1 }

            await server.beginStop(within: .zero).value

            #expect(!(try client.readToEnd().hasSuffix("0\r\n\r\n")))
            gate.open()
        }
    }

    /// The content of a chunked body (RFC 9112 section 7.1); the blank line after its last chunk is gone already.
    private static func unchunked(_ body: String) -> String {
        var content: [UInt8] = []
        var rest = Array(body.utf8)[...]
        while let lineEnd = rest.firstIndex(of: 0x0D),
            let size = Int(String(decoding: rest[..<lineEnd], as: UTF8.self), radix: 16), size > 0
        {
            let start = lineEnd + 2
            guard start + size <= rest.endIndex else { break }
            content += rest[start..<(start + size)]
            rest = rest[(start + size)...].dropFirst(2)
        }
        return String(decoding: content, as: UTF8.self)
    }
}
