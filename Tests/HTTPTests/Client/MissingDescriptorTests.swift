import EventLoop
import Glibc
import Synchronization
import Testing

@testable import HTTP

/// A process that has no descriptor left for a moment.
@Suite struct `A call without a socket to make it with` {
    /// Opens sockets, or says that there is no descriptor.
    private final class Supply: Sendable {
        let error: Int32
        private let isShort = Atomic(false)

        init(_ error: Int32) { self.error = error }

        func end() { isShort.store(true, ordering: .releasing) }
        func begin() { isShort.store(false, ordering: .releasing) }

        func open(_ family: Int32, _ type: Int32, _ protocol: Int32) -> Int32 {
            guard isShort.load(ordering: .acquiring) else { return socket(family, type, `protocol`) }
            errno = error
            return -1
        }
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func `S9: says that the want is ours, and goes through once there is one again`(error: Int32) async throws {
        let supply = Supply(error)
        var options = HTTPClient.Options()
        options.openSocket = { supply.open($0, $1, $2) }
        try await withClient(options: options) {
            $0.get(Route("/")) { _ in .text("here") }
        } _: { test async throws in
            let request = ClientRequest.get("http://127.0.0.1:\(test.port)/")
            supply.end()
            for _ in 0..<3 {
                let failure = await test.failure(request)
                #expect(failure == .other("this machine has no descriptor or memory left for a connection"))
            }
            supply.begin()
            #expect(try await test.send(request).body == Array("here".utf8))
            // The connection that is open now needs no other.
            supply.end()
            #expect(try await test.send(request).body == Array("here".utf8))
        }
    }

    @Test func `another failure to open one is no want of descriptors`() async throws {
        let supply = Supply(EAFNOSUPPORT)
        supply.end()
        var options = HTTPClient.Options()
        options.openSocket = { supply.open($0, $1, $2) }
        try await withClient(options: options) { test async throws in
            let request = ClientRequest.get("http://127.0.0.1:\(test.port)/")
            #expect(await test.failure(request) == .cannotConnect)
        }
    }
}
