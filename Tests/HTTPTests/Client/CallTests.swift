import CCurl
import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite struct `A call to another server` {
    @Test func `what is sent arrives, and the answer comes back`() async throws {
        try await withClient {
            $0.post(Route("/token")) { request in
                let seen = request.fields.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "|")
                var response = Response.text(seen + "#" + String(decoding: request.body, as: UTF8.self))
                response.append(HeaderName("X-Answer"), "  yes ")
                return response
            }
        } _: { test async throws in
            let answer = try await test.send("POST", "/token") {
                $0.fields = [("Content-Type", "application/x-www-form-urlencoded"), ("X-Empty", "")]
                $0.body = Array("code=1".utf8)
            }
            let parts = String(decoding: answer.body, as: UTF8.self).split(separator: "#")
            let type = "Content-Type=application/x-www-form-urlencoded"
            let expected = "Accept=*/*|Content-Length=6|\(type)|Host=127.0.0.1:\(test.port)|User-Agent=Pippin|X-Empty="
            #expect(parts.first.map(String.init) == expected)
            #expect(parts.last == "code=1")
            #expect(answer.status == 200)
            #expect(answer["x-answer"] == "yes")
        }
    }

    @Test func `every method is sent as it is`() async throws {
        try await withClient {
            $0.get(Route("/m")) { .text("\($0.method)") }
            $0.post(Route("/m")) { .text("\($0.method) \($0.body.count)") }
            $0.on(.put, Route("/m")) { .text("\($0.method) \($0.body.count)") }
            $0.on(.delete, Route("/m")) { .text("\($0.method)") }
        } _: { test async throws in
            let expected = ["GET": "get", "POST": "post 0", "PUT": "put 0", "DELETE": "delete", "HEAD": ""]
            for (method, text) in expected {
                let answer = try await test.send(method, "/m")
                #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == text, "\(method)")
            }
        }
    }

    @Test func `a redirect is an answer unless it is to be followed`() async throws {
        try await withClient {
            $0.get(Route("/old")) { _ in .redirect(to: "/new", status: .found) }
            $0.get(Route("/new")) { _ in .text("new") }
            $0.get(Route("/round")) { _ in .redirect(to: "/round") }
        } _: { test async throws in
            #expect(try await test.send("GET", "/old").status == 302)
            let followed = try await test.send("GET", "/old") { $0.redirectLimit = 1 }
            #expect(followed.body == Array("new".utf8))
            #expect(followed["location"] == nil)
            await #expect(throws: ClientFailure.tooManyRedirects) {
                _ = try await test.send("GET", "/round") { $0.redirectLimit = 3 }
            }
        }
    }

    @Test func `connections are used again, and many requests run at a time`() async throws {
        try await withClient {
            $0.get(Route("/n/:n", Int.self)) { _, n in
                await Task.yield()
                return .text("\(n)")
            }
        } _: { test async throws in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for n in 0..<100 { group.addTask { try await test.send("GET", "/n/\(n)").body == Array("\(n)".utf8) } }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test func `a deadline ends the wait`() async throws {
        try await withClient {
            $0.get(Route("/slow")) { _ in
                try await Task.sleep(for: .testTimeout)
                return .empty()
            }
        } _: { test async throws in
            await #expect(throws: ClientFailure.deadlinePassed) {
                _ = try await test.send("GET", "/slow") { $0.deadline = .milliseconds(100) }
            }
        }
    }

    @Test func `a name is looked up on a thread of libcurl’s own, and an unknown one fails the call`() async throws {
        // CURL_VERSION_ASYNCHDNS, a macro that Swift does not import.
        #expect(unsafe curl_version_info(CURLVERSION_FIRST).pointee.features & 1 << 7 != 0)
        try await withClient { test async throws in
            let slow = ClientRequest("GET", "http://name.invalid/", deadline: .milliseconds(200))
            #expect([.nameNotFound, .deadlinePassed].contains(await test.failure(slow)))
        }
    }

    @Test func `a cancelled task gets no answer and leaves none behind`() async throws {
        let hasArrived = Atomic(false)
        try await withClient {
            $0.get(Route("/slow")) { _ in
                hasArrived.store(true, ordering: .releasing)
                try await Task.sleep(for: .testTimeout)
                return .empty()
            }
        } _: { test async throws in
            let request = ClientRequest.get("http://127.0.0.1:\(test.port)/slow")
            let call = Task(executorPreference: test.loop) { () async -> ClientFailure? in
                do throws(ClientFailure) {
                    _ = try await test.client.send(request)
                    return nil
                } catch { return error }
            }
            try await waitUntil { hasArrived.load(ordering: .acquiring) }
            call.cancel()
            #expect(await call.value == .cancelled)
        }
    }

    @Test func `a body beyond the limit is not taken`() async throws {
        try await withClient {
            $0.get(Route("/large")) { _ in Response(body: [UInt8](repeating: 0x61, count: 100_000)) }
        } _: { test async throws in
            #expect(try await test.send("GET", "/large") { $0.bodyLimit = 100_000 }.body.count == 100_000)
            await #expect(throws: ClientFailure.bodyTooLong(limit: 99_999)) {
                _ = try await test.send("GET", "/large") { $0.bodyLimit = 99_999 }
            }
        }
    }

    @Test func `where nobody listens there is no connection`() async throws {
        try await withClient { test async throws in
            let request = ClientRequest.get("http://127.0.0.1:1/")

            #expect(await test.failure(request) == .cannotConnect)
        }
    }

    @Test func `an address that is none of ours to call is refused`() async throws {
        let addresses = [
            "ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://127.0.0.1/", "smtp://127.0.0.1/", "", "http://",
            "http://a b/", "http://127.0.0.1/\r\nX: y", "http://user:pw@127.0.0.1/", "http://127.0.0.1:99999/", "://x",
            "dict://127.0.0.1:11211/stat",
        ]
        try await withClient { test async throws in
            for url in addresses { #expect(await test.failure(.get(url)) == .malformedRequest, "\(url)") }
        }
    }

    @Test func `a field cannot smuggle another one in`() async throws {
        try await withClient { test async throws in
            let url = "http://127.0.0.1:\(test.port)/"
            for field in [("X", "a\r\nY: b"), ("X\r\nY", "b"), ("", "a"), ("X Y", "a"), ("X", "a\0")] {
                #expect(await test.failure(ClientRequest("GET", url, fields: [field])) == .malformedRequest)
            }
            #expect(await test.failure(ClientRequest("GET /x HTTP/1.1\r\n", url)) == .malformedRequest)
        }
    }

    @Test func `a closed client answers no more`() async throws {
        try await withClient { test async throws in
            try await test.loop.run { test.client.close() }

            #expect(await test.failure(ClientRequest("GET", "http://127.0.0.1:\(test.port)/")) == .cancelled)
        }
    }
}
