import Glibc
import Synchronization

/// A few threads for calls that block: password hashing, name look-ups, `PQcancel`.
// @unchecked Sendable: the list of threads is written by init and by `stop` alone, the queue is a Mutex.
public final class BlockingPool: @unchecked Sendable {
    /// The queue is full: come back later.
    public struct Full: Error, Sendable {}

    private let queueLimit: Int
    private let state = Mutex(State())
    private let semaphore = Semaphore()
    private var threads: [LoopThread] = []

    private struct State {
        var work = Queue<@Sendable () -> Void>()
        var isStopping = false
        var accepted = 0
        var ended = 0
    }

    /// Starts `threads` threads; at most `queueLimit` calls wait for one.
    public init(name: String, threads count: Int, queueLimit: Int) throws(EventLoop.Failure) {
        self.queueLimit = queueLimit
        for index in 0..<count {
            threads.append(try LoopThread.start(name: "\(name)-\(index)") { self.work() })
        }
    }

    /// Runs `body` on one of the threads; the calling task goes on where it lives.
    ///
    /// - Throws: `Full` when too many calls wait already, and whatever `body` throws.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await unsafe withUnsafeThrowingContinuation {
            (continuation: UnsafeContinuation<Result, any Error>) in
            let accepted = state.withLock { state in
                guard state.work.count < queueLimit, !state.isStopping else { return false }
                state.accepted += 1
                state.work.append {
                    unsafe continuation.resume(with: Swift.Result { try body() })
                }
                return true
            }
            if accepted { semaphore.signal() } else { unsafe continuation.resume(throwing: Full()) }
        }
    }

    /// How many calls it has taken on so far.
    public var callCount: Int { state.withLock { $0.accepted } }

    /// Finishes what was accepted, then ends the threads.
    ///
    /// - Parameter limit: after it threads are left to their calls, for a process that ends anyway: a name look-up may
    ///   take minutes where no name server answers.
    public func stop(within limit: Duration? = nil) {
        state.withLock { $0.isStopping = true }
        for _ in threads { semaphore.signal() }
        defer { threads = [] }
        if let limit, !haveEnded(by: .now + limit) { return }
        for thread in threads { thread.join() }
    }

    private func haveEnded(by deadline: ContinuousClock.Instant) -> Bool {
        while state.withLock({ $0.ended }) < threads.count {
            guard ContinuousClock.now < deadline else { return false }
            usleep(2_000)
        }
        return true
    }

    private func work() {
        while true {
            semaphore.wait()
            let (next, isStopping) = state.withLock { ($0.work.popFirst(), $0.isStopping) }
            if let next { next() } else if isStopping { return state.withLock { $0.ended += 1 } }
        }
    }
}
