import EventLoop
import HTTP
import TestNames
import TestSupport
import Testing

@Suite struct `A resolver` {
    @Test func `gives every TXT record, its strings joined`() async throws {
        try await withNames(["acme.example": .records([["v=spf1 ", "-all"], ["site=1"]])]) { resolver, _ in
            let texts = try await resolver.ask("acme.example")

            #expect(texts.map { String(decoding: $0, as: UTF8.self) } == ["v=spf1 -all", "site=1"])
        }
    }

    @Test func `takes an answer that is too long for a packet over TCP`() async throws {
        let long = (0..<40).map { [String(repeating: "x", count: 200) + "\($0)"] }
        try await withNames(["long.example": .truncated(long)]) { resolver, server in
            let texts = try await resolver.ask("long.example.")

            #expect(texts.map { String(decoding: $0, as: UTF8.self) } == long.map { $0[0] })
            #expect(server.asked == ["udp long.example", "tcp long.example"])
        }
    }

    @Test func `V55: reads no answer with more records than any name has`() async throws {
        let many = (0..<129).map { ["text \($0)"] }
        try await withNames(["many.example": .truncated(many)]) { resolver, _ in
            await #expect(throws: LookupFailure.malformedAnswer) { _ = try await resolver.ask("many.example") }
        }
    }

    // c-ares reads all records of an answer that is an error when it asked with EDNS.
    @Test func `V55: asks without extensions, so that an error is read no further`() async throws {
        try await withNames(["acme.example": .code(2)]) { resolver, server in
            await #expect(throws: LookupFailure.serversFailed) { _ = try await resolver.ask("acme.example") }
            #expect(Set(server.asked) == ["udp acme.example"])
        }
    }

    @Test func `tells a name without texts from a name that is none`() async throws {
        try await withNames(["bare.example": .records([])]) { resolver, _ in
            let none = try await resolver.ask("bare.example")

            #expect(none.isEmpty)
            await #expect(throws: LookupFailure.noSuchName) { _ = try await resolver.ask("gone.example") }
        }
    }

    @Test func `says how a server misbehaves`() async throws {
        let failures: [(TestNameServer.Behaviour, LookupFailure)] = [
            (.code(2), .serversFailed), (.code(4), .serversFailed), (.code(5), .serversFailed),
            (.malformed, .malformedAnswer),
        ]
        for (behaviour, failure) in failures {
            try await withNames(["acme.example": behaviour]) { resolver, _ in
                await #expect(throws: failure, "\(behaviour)") { _ = try await resolver.ask("acme.example") }
            }
        }
    }

    @Test func `gives up on a server that says nothing, or nothing that answers, after its tries`() async throws {
        for behaviour in [TestNameServer.Behaviour.silence, .garbage] {
            try await withNames(["acme.example": behaviour], timeout: .milliseconds(10)) { resolver, server in
                await #expect(throws: LookupFailure.deadlinePassed) { _ = try await resolver.ask("acme.example") }
                #expect(server.asked.count == 2)
            }
        }
    }

    @Test func `gives up at the deadline, however long a try may take`() async throws {
        try await withNames(["acme.example": .silence]) { resolver, _ in
            await #expect(throws: LookupFailure.deadlinePassed) {
                _ = try await resolver.texts(of: "acme.example", within: .milliseconds(1))
            }
        }
    }

    @Test func `answers many at a time, each its own`() async throws {
        let names = (0..<50).map { "n\($0).example" }
        let zone = Dictionary(uniqueKeysWithValues: names.map { ($0, TestNameServer.Behaviour.text($0)) })
        try await withNames(zone) { resolver, _ in
            try await withThrowingTaskGroup(of: (String, [[UInt8]]).self) { group in
                for name in names { group.addTask { (name, try await resolver.ask(name)) } }
                for try await (name, texts) in group { #expect(texts == [Array(name.utf8)]) }
            }
        }
    }

    @Test func `refuses what is no name`() async throws {
        let names = [
            "", "a..b", "sp ace.example", "b\\ackslash.example", "ümlaut.example", "nul\0.example",
            // A label of more than 63 octets, and a name of more than 255.
            String(repeating: "a", count: 64) + ".example", String(repeating: "abcdefg.", count: 40) + "example",
        ]
        try await withNames([:]) { resolver, server in
            for name in names {
                let thrown = await #expect(throws: LookupFailure.self, "\(name)") { _ = try await resolver.ask(name) }
                #expect(thrown == .malformedName || name.isEmpty, "\(name)")
            }
            #expect(server.asked.allSatisfy { $0 == "udp " })
        }
    }

    @Test func `says that there is no server`() async throws {
        try await withNames([:]) { resolver, server in
            server.close()
            await #expect(throws: LookupFailure.serversFailed) { _ = try await resolver.ask("acme.example") }
        }
    }

    @Test func `ends a look-up when its task is cancelled, and all when it is closed`() async throws {
        try await withNames(["acme.example": .silence]) { resolver, _ in
            let one = Task.immediate { try await resolver.ask("acme.example") }
            one.cancel()
            await #expect(throws: LookupFailure.cancelled) { _ = try await one.value }

            let other = Task.immediate { try await resolver.ask("acme.example") }
            resolver.close()
            await #expect(throws: LookupFailure.cancelled) { _ = try await other.value }
            await #expect(throws: LookupFailure.cancelled) { _ = try await resolver.ask("acme.example") }
        }
    }
}

extension Resolver {
    /// The texts of a name, however long it takes.
    fileprivate func ask(_ name: String) async throws(LookupFailure) -> [[UInt8]] {
        try await texts(of: name, within: .testTimeout)
    }
}

/// Lends `body` a resolver that asks a server with these names; both live on the loop that `body` runs on.
private func withNames(
    _ names: [String: TestNameServer.Behaviour], timeout: Duration = .testTimeout,
    _ body: @escaping @Sendable (Resolver, TestNameServer) async throws -> Void
) async throws {
    let loop = try EventLoop(name: "names")
    try loop.start()
    defer { loop.stop() }
    try await loop.run {
        let server = try TestNameServer(on: loop)
        defer { server.close() }
        server.names = names
        var options = Resolver.Options()
        options.servers = [server.address]
        options.timeout = timeout
        options.tries = 2
        let resolver = try Resolver(on: loop, options)
        defer { resolver.close() }
        try await body(resolver, server)
    }
}
