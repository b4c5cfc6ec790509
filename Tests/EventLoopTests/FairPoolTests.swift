import Synchronization
import TestSupport
import Testing

@testable import EventLoop

/// Holds calls of a pool until it is told to let them go.
final class Latch: Sendable {
    private let semaphore = Semaphore()
    private let holding = Atomic(0)

    /// How many calls it has held.
    var count: Int { holding.load(ordering: .acquiring) }

    func open() { semaphore.signal() }

    func wait() {
        holding.add(1, ordering: .releasing)
        semaphore.wait()
        // The next one goes, too.
        semaphore.signal()
    }
}

@Suite struct `The blocking pool, shared between teams` {
    /// Has the pool's threads held by calls of `owner`.
    private func hold(_ pool: BlockingPool, threads: Int, by owner: String, _ latch: Latch) async throws {
        for _ in 0..<threads { Task { try await pool.run(for: owner) { latch.wait() } } }
        try await waitUntil { latch.count == threads }
    }

    /// Has `count` calls of `owner` wait, one behind the other.
    private func queue(_ count: Int, of owner: String, on pool: BlockingPool, _ served: Notes) async throws -> [Task<
        Void, any Error
    >] {
        var tasks: [Task<Void, any Error>] = []
        for _ in 0..<count {
            let before = pool.callCount
            tasks.append(Task { try await pool.run(for: owner) { served.note(owner) } })
            try await waitUntil { pool.callCount > before }
        }
        return tasks
    }

    @Test func `S6, V43: a team's first call is served behind at most one of a team that floods`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 1, queueLimit: 256)
        let (latch, served) = (Latch(), Notes())
        try await hold(pool, threads: 1, by: "flood", latch)

        var tasks = try await queue(60, of: "flood", on: pool, served)
        tasks += try await queue(3, of: "quiet", on: pool, served)
        tasks += try await queue(1, of: "third", on: pool, served)
        latch.open()
        for task in tasks { try await task.value }
        pool.stop()

        let order = served.all
        #expect(order.count == 64)
        // In turns: what others ask for comes behind as many of the flood as they ask for themselves.
        #expect(order.prefix(7).filter { $0 == "quiet" }.count == 3, "\(order.prefix(8))")
        #expect(order.prefix(3).contains("third"), "\(order.prefix(8))")
    }

    @Test func `V43: a team that holds every thread gets the next one last`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 3, queueLimit: 64)
        let (latch, others, served) = (Latch(), Latch(), Notes())
        try await hold(pool, threads: 2, by: "flood", latch)
        try await hold(pool, threads: 1, by: "quiet", others)

        var tasks = try await queue(5, of: "flood", on: pool, served)
        tasks += try await queue(2, of: "quiet", on: pool, served)
        others.open()
        for task in tasks.suffix(2) { try await task.value }
        // The two threads of the flood are held still: the third served the quiet one first.
        #expect(served.all.prefix(2) == ["quiet", "quiet"])
        latch.open()
        for task in tasks { try await task.value }
        pool.stop()
    }

    @Test func `V43: one team alone may use every thread and every place`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 3, queueLimit: 20)
        let (latch, served) = (Latch(), Notes())
        try await hold(pool, threads: 3, by: "alone", latch)
        let tasks = try await queue(20, of: "alone", on: pool, served)

        #expect(pool.waitingCount == 20)
        await #expect(throws: BlockingPool.Full.self) { try await pool.run(for: "alone") {} }
        latch.open()
        for task in tasks { try await task.value }
        pool.stop()
        #expect(served.all.count == 20)
    }

    @Test func `S6, V43: a full queue gives way to another team, and only the longest line is refused`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 1, queueLimit: 8)
        let (latch, served) = (Latch(), Notes())
        try await hold(pool, threads: 1, by: "flood", latch)
        let flood = try await queue(8, of: "flood", on: pool, served)

        let quiet = try await queue(4, of: "quiet", on: pool, served)
        // Both have as many now: nobody is displaced any more.
        await #expect(throws: BlockingPool.Full.self) { try await pool.run(for: "quiet") {} }
        await #expect(throws: BlockingPool.Full.self) { try await pool.run(for: "flood") {} }
        latch.open()

        for task in quiet { try await task.value }
        var refused = 0
        for task in flood { do { try await task.value } catch is BlockingPool.Full { refused += 1 } }
        pool.stop()
        #expect(refused == 4)
        #expect(served.all.filter { $0 == "quiet" }.count == 4 && served.all.count == 8)
    }
}
