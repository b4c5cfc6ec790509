import EventLoop
import TestSupport
import Testing

@testable import HTTP

/// Calls of many to one server, which has only so many at a time.
@Suite struct `Calls that take turns` {
    /// Lends `body` a client, and a server that holds what is sent to `/held` and answers `/quick`.
    private func withTurns(places: Int, waiting: Int = 1024, _ body: (TestClient, Gate) async throws -> Void)
        async throws
    {
        let gate = Gate()
        var options = HTTPClient.Options()
        (options.places, options.waitingLimit) = (places, waiting)
        try await withClient(options: options) {
            $0.get(Route("/held")) { _ in
                await gate.wait()
                return .text("held")
            }
            $0.get(Route("/quick")) { _ in .text("here") }
        } _: { test async throws in
            defer { gate.open() }
            try await body(test, gate)
        }
    }

    /// Begins a call on the client's loop, which gives how it failed, or nil.
    private func begin(_ path: String, of owner: String?, deadline: Duration = .testTimeout, _ test: TestClient)
        -> Task<ClientFailure?, Never>
    {
        let request = ClientRequest(
            "GET", "http://127.0.0.1:\(test.port)\(path)", deadline: deadline, addresses: .any, owner: owner)
        return Task(executorPreference: test.loop) { () async -> ClientFailure? in
            do throws(ClientFailure) {
                _ = try await test.client.send(request)
                return nil
            } catch { return error }
        }
    }

    @Test func `V43: of one who has many leave a quarter of the places to others`() async throws {
        try await withTurns(places: 8) { test, gate in
            let many = (0..<40).map { _ in begin("/held", of: "many", test) }
            try await gate.wait(for: 6)
            #expect(await begin("/quick", of: "few", test).value == nil)
            #expect(gate.arrived == 6)
            gate.open()
            for call in many { #expect(await call.value == nil) }
            #expect(gate.arrived == 40)
        }
    }

    @Test func `V43: of another who came later have the next place`() async throws {
        try await withTurns(places: 8) { test, gate in
            let many = (0..<40).map { _ in begin("/held", of: "many", test) }
            try await gate.wait(for: 6)
            let others = (0..<2).map { _ in begin("/held", of: "other", test) }
            try await gate.wait(for: 8)
            let late = begin("/quick", of: "late", test)
            // Behind it on the loop, so it waits by then.
            try await test.loop.run {}
            gate.releaseFirst()
            #expect(await late.value == nil)
            #expect(gate.arrived <= 9, "one of the many has the place after it")
            gate.open()
            for call in many + others { #expect(await call.value == nil) }
        }
    }

    @Test func `V43: fail where their turn does not come before their deadline`() async throws {
        try await withTurns(places: 1) { test, gate in
            let first = begin("/held", of: "one", test)
            try await gate.wait(for: 1)
            let waiting = begin("/quick", of: "one", test)
            let short = begin("/quick", of: "one", deadline: .milliseconds(20), test)
            let other = begin("/quick", of: "other", deadline: .milliseconds(20), test)
            #expect(await short.value == .deadlinePassed)
            #expect(await other.value == .deadlinePassed)
            gate.open()
            #expect(await first.value == nil)
            #expect(await waiting.value == nil)
        }
    }

    @Test func `V43: give their turn back when they are cancelled, waiting or under way`() async throws {
        try await withTurns(places: 1) { test, gate in
            let first = begin("/held", of: "one", test)
            try await gate.wait(for: 1)
            let waiting = begin("/held", of: "one", test)
            let next = begin("/quick", of: "one", test)
            try await test.loop.run {}
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
            first.cancel()
            #expect(await first.value == .cancelled)
            #expect(await next.value == nil)
            #expect(await begin("/quick", of: "other", test).value == nil)
            #expect(gate.arrived == 1)
        }
    }

    @Test func `V43: of whoever has most waiting are refused when too many wait`() async throws {
        try await withTurns(places: 1, waiting: 4) { test, gate in
            let many = (0..<5).map { _ in begin("/held", of: "many", test) }
            try await gate.wait(for: 1)
            let few = begin("/quick", of: "few", test)
            #expect(await many[4].value == .deadlinePassed)
            #expect(await begin("/held", of: "many", test).value == .deadlinePassed)
            gate.open()
            for call in many[..<4] + [few] { #expect(await call.value == nil) }
        }
    }

    @Test func `wait for nobody where they have no owner`() async throws {
        try await withTurns(places: 1) { test, gate in
            let first = begin("/held", of: "one", test)
            try await gate.wait(for: 1)
            #expect(await begin("/quick", of: nil, test).value == nil)
            gate.open()
            #expect(await first.value == nil)
        }
    }

    @Test func `end when the client is closed`() async throws {
        try await withTurns(places: 1) { test, gate in
            let calls = (0..<3).map { _ in begin("/held", of: "one", test) }
            try await gate.wait(for: 1)
            try await test.loop.run { test.client.close() }
            for call in calls { #expect(await call.value == .cancelled) }
        }
    }
}
