import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import pippin

/// Security case V43 in the process: each kind of work has threads of its own.
@Suite struct `The threads for what keeps a loop` {
    /// Every kind there is, by its name.
    private static let kinds: [(name: String, pool: any KeyPath<Pools, BlockingPool> & Sendable)] = [
        ("passwords", \.passwords), ("judges", \.judges), ("signing keys", \.signingKeys), ("look-ups", \.lookups),
        ("registries", \.registries), ("mail", \.mail),
    ]

    @Test func `V43: one kind filled to its brim keeps no other kind waiting`() async throws {
        // A kind that is added here without a thought is one that the test forgets.
        let pools = try Pools(cores: 2)
        #expect(Mirror(reflecting: pools).children.count == Self.kinds.count)
        defer { pools.stop(within: .testTimeout) }
        for (name, path) in Self.kinds {
            let (full, gate, refusals) = (pools[keyPath: path], Latch(), Served())
            defer { gate.open() }
            // One team alone may have every thread and every place, and is refused only then.
            var calls: [Task<Void, any Error>] = []
            while true {
                let before = full.callCount
                let call = Task { try await full.run(for: "flood") { gate.wait() } }
                let isFull = Task { do { try await call.value } catch is BlockingPool.Full { refusals.note() } }
                try await waitUntil { full.callCount != before || refusals.count > 0 }
                calls.append(isFull)
                if refusals.count > 0 { break }
            }
            #expect(full.waitingCount >= 64, "\(name)")

            // Each of the others serves while not one call of the flood is done: were a thread shared, this would not end.
            for (other, path) in Self.kinds where other != name {
                let served = try await pools[keyPath: path].run(for: "quiet") { gate.released }
                #expect(served == 0, "\(other) waits for \(name)")
            }
            gate.open()
            for call in calls { try await call.value }
        }
    }

    @Test func `V43: signing keys are made where nobody else wants to compute`() async throws {
        let pools = try Pools(cores: 2)
        defer { pools.stop(within: .testTimeout) }
        let niceness: @Sendable () -> Int32 = { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
        let own = niceness()
        #expect(try await pools.passwords.run { niceness() } == own)
        #expect(try await pools.signingKeys.run { niceness() } > own)
    }
}

/// Counts.
private final class Served: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .acquiring) }

    func note() { number.add(1, ordering: .releasing) }
}
