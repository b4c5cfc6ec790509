import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

/// Starts a loop for the length of `body`.
func withLoop<Result: Sendable>(_ body: @escaping @Sendable (EventLoop) async throws -> Result) async throws -> Result {
    let loop = try EventLoop(name: "test")
    try loop.start()
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await loop.run { try await body(loop) }) } catch { result = .failure(error) }
    loop.stop()
    return try result.get()
}

/// Counts from many threads.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.add(1, ordering: .relaxed) }
}

@Suite struct `A loop` {
    @Test func `keeps a task on its own thread over every suspension`() async throws {
        let strays = try await withLoop { loop in
            var strays = 0
            for _ in 0..<100 {
                await Task.yield()
                if !loop.isCurrent { strays += 1 }
                await loop.sleep(for: .zero)
                if !loop.isCurrent { strays += 1 }
            }
            return strays
        }

        #expect(strays == 0)
    }

    @Test func `fires what is due in the order of the deadlines`() {
        var timers = TimerHeap()
        for deadline in [30, 10, 20, 40, 15] { timers.insert(Timer(deadline: Int64(deadline)) {}) }

        #expect(timers.nextDeadline == 10)
        let due = Array(sequence(state: timers) { timers in timers.popDue(30)?.deadline })
        #expect(due == [10, 15, 20, 30])
    }

    @Test func `fires a timer once, and none that is cancelled`() async throws {
        let fired = try await withLoop { loop in
            let fired = Mutex<[Int]>([])
            for number in 1...3 {
                let timer = loop.schedule(after: .zero) { fired.withLock { $0.append(number) } }
                if number == 2 { timer.cancel() }
            }
            for _ in 0..<2 { await loop.sleep(for: .zero) }
            return fired.withLock { $0 }
        }

        #expect(fired == [1, 3])
    }

    @Test func `tells when a descriptor can be read, and no more once the watch is cancelled`() async throws {
        let reads = try await withLoop { loop in
            var ends: [Int32] = [0, 0]
            _ = unsafe pipe(&ends)
            let reads = Mutex(0)
            let (reader, writer) = (ends[0], ends[1])
            let watch = try loop.watch(reader, for: .read) { _ in
                var byte: UInt8 = 0
                _ = unsafe read(reader, &byte, 1)
                reads.withLock { $0 += 1 }
            }
            _ = unsafe write(writer, "a", 1)
            try await waitUntil { reads.withLock { $0 } > 0 }
            watch.cancel()
            _ = unsafe write(writer, "b", 1)
            // Each is a turn, which sees whatever can be read.
            for _ in 0..<3 { await loop.sleep(for: .zero) }
            close(reader)
            close(writer)
            return reads.withLock { $0 }
        }

        #expect(reads == 1)
    }

    @Test func `takes work from other threads, ten thousand times`() async throws {
        let sum = Counter()
        let loop = try EventLoop(name: "test")
        try loop.start()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { for _ in 0..<1000 { loop.execute { sum.increment() } } } }
        }
        loop.stop()

        #expect(sum.value == 10_000)
    }

    @Test func `calls its hooks at the end of each turn, answers before queries`() async throws {
        let order = try await withLoop { loop in
            let calls = Mutex<[String]>([])
            loop.atEndOfTurn(.queries) { calls.withLock { $0.append("queries") } }
            loop.atEndOfTurn(.answers) { calls.withLock { $0.append("answers") } }
            await loop.sleep(for: .zero)
            return calls.withLock { Array($0.prefix(2)) }
        }

        #expect(order == ["answers", "queries"])
    }
}

@Suite struct `The blocking pool` {
    @Test func `hands the result back to the loop that asked`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 1, queueLimit: 4)
        let (value, isHome) = try await withLoop { loop in
            let value = try await pool.run { 42 }
            return (value, loop.isCurrent)
        }
        pool.stop()

        #expect(value == 42)
        #expect(isHome)
    }

    @Test func `refuses what would wait too long`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 1, queueLimit: 1)
        let latch = Latch()
        let held = Task { try await pool.run { latch.wait() } }
        try await waitUntil { latch.count == 1 }
        let waiting = Task { try await pool.run {} }
        try await waitUntil { pool.waitingCount == 1 }

        await #expect(throws: BlockingPool.Full.self) { try await pool.run {} }
        latch.open()
        for call in [held, waiting] { try await call.value }
        pool.stop()
    }

    @Test func `finishes accepted work before it stops`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 2, queueLimit: 100)
        let done = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try? await pool.run { done.increment() } } }
        }
        pool.stop()

        #expect(done.value == 20)
    }

    @Test func `leaves a call to itself that takes too long, where it is told to`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 1, queueLimit: 4)
        let latch = Latch()
        let call = Task { try await pool.run { latch.wait() } }
        try await waitUntil { latch.count == 1 }

        pool.stop(within: .zero)
        // The stop has returned, though the call could not end before this.
        latch.open()

        try await call.value
    }
}
