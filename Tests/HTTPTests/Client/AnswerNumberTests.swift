import EventLoop
import Glibc
import HTTP
import TestNumbers
import TestSockets
import Testing

/// Security case V39: numbers that other servers write into their answers, whoever they are.
@Suite struct `Numbers in answers of other servers` {
    /// Gives each connection in its turn an answer, and closes it; `body` makes as many requests, one after the other.
    private func withAnswers(
        _ answers: [String],
        _ body: (_ send: (_ index: Int) async -> Result<ClientResponse, any Error>) async throws -> Void
    ) async throws {
        let server = LoopbackListener(backlog: 16)
        let loop = try EventLoop(name: "numbers")
        try loop.start()
        loop.execute {
            for answer in answers {
                let connection = accept(server.socket, nil, nil)
                guard connection >= 0 else { return }
                var request = [UInt8](repeating: 0, count: 4096)
                unsafe recv(connection, &request, request.count, 0)
                let octets = Array(answer.utf8)
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
            try await body { index in
                // Each answer has an address of its own, so that it is known which one came.
                let url = "http://127.0.0.1:\(server.port)/\(index)"
                do { return .success(try await test.send(.get(url))) } catch { return .failure(error) }
            }
        }
    }

    /// An answer that came, or nil where there was none that counts; it never is waited for in vain.
    private func answer(_ result: Result<ClientResponse, any Error>, _ what: String) -> ClientResponse? {
        switch result {
        case .success(let answer): return answer
        case .failure(let error):
            let failure = error as? ClientFailure
            #expect(failure != nil && failure != .deadlinePassed, "\(what): \(error)")
            return nil
        }
    }

    private static let fields = [
        "Retry-After: #", "Content-Range: bytes #-#/#", "Accept-Ranges: #", "Age: #", "Keep-Alive: timeout=#, max=#",
        "Cache-Control: max-age=#", "Strict-Transport-Security: max-age=#", "Alt-Svc: h2=\":#\"; ma=#",
        "Set-Cookie: a=b; Max-Age=#", "Date: #", "Expires: #", "Last-Modified: #",
    ]

    @Test func `V39: are text in a field of an answer, and the answer is read as ever`() async throws {
        let numbers = BoundaryNumber.texts
        let answers = numbers.map { number in
            let fields = Self.fields.map { $0.replacing("#", with: number) + "\r\n" }.joined()
            return "HTTP/1.1 429 No\r\n\(fields)Content-Length: 2\r\nConnection: close\r\n\r\nab"
        }
        try await withAnswers(answers) { send async throws in
            for (index, number) in numbers.enumerated() {
                let answer = answer(await send(index), number)
                #expect(answer?.status == 429 && answer?.body == Array("ab".utf8), "\(number)")
                guard number.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
                #expect(answer?["Retry-After"] == number.filter { !" \t".contains($0) }, "\(number)")
            }
        }
    }

    @Test func `V39: a length that is not that of the body makes no answer longer than what came`() async throws {
        let numbers = BoundaryNumber.texts
        let answers = numbers.map { "HTTP/1.1 200 OK\r\nContent-Length: \($0)\r\nConnection: close\r\n\r\nab" }
        try await withAnswers(answers) { send async throws in
            for (index, number) in numbers.enumerated() {
                let answer = answer(await send(index), number)
                let body = answer.map { String(decoding: $0.body, as: UTF8.self) }
                #expect(body.map { "ab".hasPrefix($0) } ?? true, "\(number): \(body ?? "")")
                guard let length = Int64(number), number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                    continue
                }
                #expect(body == (length > 2 ? nil : String("ab".prefix(Int(length)))), "\(number)")
            }
        }
    }

    @Test func `V39: a chunk of any size is no more than what came`() async throws {
        let numbers = BoundaryNumber.texts
        let answers = numbers.map {
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\($0)\r\nab\r\n0\r\n\r\n"
        }
        try await withAnswers(answers) { send async throws in
            for (index, number) in numbers.enumerated() {
                let answer = answer(await send(index), number)
                #expect((answer?.body.count ?? 0) <= 2, "\(number)")
            }
        }
    }

    @Test func `V39: a status is one of three digits that ends an answer, or there is none`() async throws {
        let lines = BoundaryNumber.texts.flatMap { number in
            ["HTTP/1.1 \(number) OK", "HTTP/1.1 \(number)", "HTTP/\(number) 200 OK", "HTTP/1.\(number) 200 OK"]
        }
        let answers = lines.map { "\($0)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" }
        try await withAnswers(answers) { send async throws in
            for (index, line) in lines.enumerated() {
                let answer = answer(await send(index), line)
                #expect(answer.map { (200...999).contains($0.status) } ?? true, "\(line): \(answer?.status ?? 0)")
            }
        }
    }
}
