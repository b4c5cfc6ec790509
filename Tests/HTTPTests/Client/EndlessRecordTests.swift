import EventLoop
import TestSockets
import Testing

@testable import HTTP

/// A server whose octets keep a library at work, which looks at no deadline meanwhile.
@Suite struct `A server of TLS that never ends` {
    private func withEndless(
        _ kind: EndlessRecords.Kind, _ body: @escaping @Sendable (TestClient, ClientRequest) async throws -> Void
    ) async throws {
        let endless = EndlessRecords(kind)
        let serving = try EventLoop(name: "endless")
        try serving.start()
        defer { serving.stop() }
        serving.execute { endless.serve() }
        try await withClient { test async throws in
            let address = "https://127.0.0.1:\(endless.listener.port)/"
            try await body(test, .get(address))
            endless.stop()
            try await serving.run {}
            #expect(!endless.hasGivenUp, "the thread was busy for as long as something came")
        }
    }

    @Test(arguments: EndlessRecords.Kind.allCases) func `V43: is taken for one that has closed`(
        kind: EndlessRecords.Kind
    ) async throws { try await withEndless(kind) { test, request in #expect(await test.failure(request) != nil) } }

    @Test(arguments: EndlessRecords.Kind.allCases) func `V43: is left by a call that ends while it sends`(
        kind: EndlessRecords.Kind
    ) async throws {
        try await withEndless(kind) { test, request in
            let call = Task { await test.failure(request) }
            call.cancel()
            #expect(await call.value != nil)
            try await test.loop.run {}
        }
    }
}
