import EventLoop
import Glibc
import HTTP
import TestNumbers
import TestSockets
import Testing

/// Security case V39: numbers that other servers write into their answers, whoever they are.
@Suite struct `Numbers in answers of other servers` {
    /// Has a server answer so to a request for each number, on a connection that it closes, and `judge` what came; that is
    /// nil where no answer counts, which never is waited for in vain.
    private func each(
        of numbers: [String] = BoundaryNumber.texts, answering answer: (String) -> String,
        _ judge: (_ number: String, ClientResponse?) -> Void
    ) async throws {
        let answers = numbers.map { Array(answer($0).utf8) }
        let server = LoopbackListener(backlog: 16)
        let loop = try EventLoop(name: "numbers")
        try loop.start()
        loop.execute {
            for octets in answers {
                let connection = accept(server.socket, nil, nil)
                guard connection >= 0 else { return }
                var request = [UInt8](repeating: 0, count: 4096)
                unsafe recv(connection, &request, request.count, 0)
                unsafe send(connection, octets, octets.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
        }
        defer {
            // Whoever waits for a connection that does not come is woken.
            shutdown(server.socket, Int32(SHUT_RDWR))
            loop.stop()
            close(server.socket)
        }
        try await withClient { test async throws in
            for (index, number) in numbers.enumerated() {
                // Each answer has an address of its own, so that it is known which one came.
                do { judge(number, try await test.send(.get("http://127.0.0.1:\(server.port)/\(index)"))) } catch {
                    let failure = error as? ClientFailure
                    #expect(failure != nil && failure != .deadlinePassed, "\(number): \(error)")
                    judge(number, nil)
                }
            }
        }
    }

    private static let fields = [
        "Retry-After: #", "Content-Range: bytes #-#/#", "Accept-Ranges: #", "Age: #", "Keep-Alive: timeout=#, max=#",
        "Cache-Control: max-age=#", "Strict-Transport-Security: max-age=#", "Alt-Svc: h2=\":#\"; ma=#",
        "Set-Cookie: a=b; Max-Age=#", "Date: #", "Expires: #", "Last-Modified: #",
    ]

    @Test func `V39: are text in a field of an answer, and the answer is read as ever`() async throws {
        try await each { number in
            let fields = Self.fields.map { $0.replacing("#", with: number) + "\r\n" }.joined()
            return "HTTP/1.1 429 No\r\n\(fields)Content-Length: 2\r\nConnection: close\r\n\r\nab"
        } _: { number, answer in
            #expect(answer?.status == 429 && answer?.body == Array("ab".utf8), "\(number)")
            guard number.utf8.allSatisfy({ $0 < 0x80 }) else { return }
            #expect(answer?["Retry-After"] == number.filter { !" \t".contains($0) }, "\(number)")
        }
    }

    @Test func `V39: a length that is not that of the body makes no answer longer than what came`() async throws {
        try await each { number in
            "HTTP/1.1 200 OK\r\nContent-Length: \(number)\r\nConnection: close\r\n\r\nab"
        } _: { number, answer in
            let body = answer.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(body.map { "ab".hasPrefix($0) } ?? true, "\(number): \(body ?? "")")
            guard let length = Int64(number), number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
            #expect(body == (length > 2 ? nil : String("ab".prefix(Int(length)))), "\(number)")
        }
    }

    @Test func `V39: a chunk of any size is no more than what came`() async throws {
        try await each { number in
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\(number)\r\nab\r\n0\r\n\r\n"
        } _: { number, answer in
            #expect((answer?.body.count ?? 0) <= 2, "\(number)")
        }
    }

    @Test func `V39: a status is one of three digits that ends an answer, or there is none`() async throws {
        let lines = BoundaryNumber.texts.flatMap { number in
            ["HTTP/1.1 \(number) OK", "HTTP/1.1 \(number)", "HTTP/\(number) 200 OK", "HTTP/1.\(number) 200 OK"]
        }
        try await each(of: lines) { line in
            "\(line)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        } _: { line, answer in
            #expect(answer.map { (200...999).contains($0.status) } ?? true, "\(line): \(answer?.status ?? 0)")
        }
    }
}
