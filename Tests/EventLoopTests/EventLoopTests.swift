import EventLoop
import Glibc
import Synchronization
import Testing

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
                await loop.sleep(for: .microseconds(10))
                if !loop.isCurrent { strays += 1 }
            }
            return strays
        }

        #expect(strays == 0)
    }

    @Test func `fires timers in the order of their deadlines and forgets cancelled ones`() async throws {
        let order = try await withLoop { loop in
            let fired = Mutex<[Int]>([])
            for delay in [30, 10, 20, 40] {
                let timer = loop.schedule(after: .milliseconds(delay)) { fired.withLock { $0.append(delay) } }
                if delay == 40 { timer.cancel() }
            }
            await loop.sleep(for: .milliseconds(80))
            return fired.withLock { $0 }
        }

        #expect(order == [10, 20, 30])
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
            while reads.withLock({ $0 == 0 }) { await loop.sleep(for: .milliseconds(1)) }
            watch.cancel()
            _ = unsafe write(writer, "b", 1)
            await loop.sleep(for: .milliseconds(20))
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
            await loop.sleep(for: .milliseconds(5))
            return calls.withLock { Array($0.prefix(2)) }
        }

        #expect(order == ["answers", "queries"])
    }
}

@Suite struct `The blocking pool` {
    @Test func `hands the result back to the loop that asked`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 1, queueLimit: 4)
        let (value, isHome) = try await withLoop { loop in
            let value = try await pool.run { usleep(1000) == 0 ? 42 : 0 }
            return (value, loop.isCurrent)
        }
        pool.stop()

        #expect(value == 42)
        #expect(isHome)
    }

    @Test func `refuses what would wait too long`() async throws {
        let pool = try BlockingPool(name: "pool", threads: 1, queueLimit: 1)
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { do { return try await pool.run { usleep(20_000) != 0 } } catch { return true } }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        pool.stop()

        #expect(refused >= 5)
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
        let mayEnd = Counter()
        let call = Task { try await pool.run { while mayEnd.value == 0 { usleep(1_000) } } }
        while pool.callCount == 0 { try await Task.sleep(for: .milliseconds(1)) }

        pool.stop(within: .milliseconds(50))
        // The stop has returned, though the call could not end before this.
        mayEnd.increment()

        try await call.value
    }
}
