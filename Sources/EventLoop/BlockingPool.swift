import Glibc
import Synchronization

/// A small thread pool for calls that block or compute for long: password hashing, key generation, name lookups.
///
/// Threads are shared fairly between owners of work: a single owner may use all of them, and once another owner has a
/// call waiting, the next free thread runs that call.
// @unchecked Sendable: the list of threads is written by init and by `stop` alone, the queue is a Mutex.
public final class BlockingPool: @unchecked Sendable {
    /// The queue is full; the caller may try again later.
    public struct Full: Error, Sendable {}

    /// Scheduling priority of the pool's threads.
    public enum Priority: Sendable {
        case normal
        /// Nice value 10: runs when other threads do not need the processor, for long work that no caller waits for.
        case low
    }

    private let state: Mutex<State>
    private let semaphore = Semaphore()
    private var threads: [LoopThread] = []

    /// A call that waits for a thread.
    private struct Call: Sendable {
        let run: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var work: FairQueue<Call>
        var isStopping = false
        var accepted = 0
        var ended = 0
    }

    /// Starts `threads` threads; at most `queueLimit` calls may wait for one.
    public init(name: String, threads count: Int, queueLimit: Int, priority: Priority = .normal) throws(EventLoop
        .Failure)
    {
        state = Mutex(State(work: FairQueue(limit: queueLimit)))
        for index in 0..<count {
            let thread = try LoopThread.start(name: "\(name)-\(index)", priority: priority) { self.work() }
            threads.append(thread)
        }
    }

    /// Runs `body` on one of the threads; the calling task resumes on its own executor.
    ///
    /// - Parameter owner: owner of the work, such as a team ID, for sharing threads between owners; empty for the
    ///   server itself.
    /// - Throws: `Full` if too many calls wait already, or if a call of an owner with a shorter queue displaces this
    ///   one; and any error of `body`.
    public func run<Result: Sendable>(for owner: String = "", _ body: @escaping @Sendable () throws -> Result)
        async throws -> Result
    {
        try await unsafe withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Result, any Error>) in
            let call = Call(
                run: { unsafe continuation.resume(with: Swift.Result { try body() }) },
                refuse: { unsafe continuation.resume(throwing: Full()) })
            enter(call, of: owner)
        }
    }

    private func enter(_ call: Call, of owner: String) {
        let admission = state.withLock { state -> FairQueue<Call>.Admission in
            guard !state.isStopping else { return .refused }
            let admission = state.work.append(call, of: owner)
            if case .refused = admission { return admission }
            state.accepted += 1
            return admission
        }
        switch admission {
        case .accepted: semaphore.signal()
        // The displaced call's semaphore signal now counts for the new call.
        case .displacing(let other): other.refuse()
        case .refused: call.refuse()
        }
    }

    /// Number of calls accepted so far.
    public var callCount: Int { state.withLock { $0.accepted } }

    /// Number of calls that wait for a thread.
    public var waitingCount: Int { state.withLock { $0.work.count } }

    /// Finishes the accepted calls, then ends the threads.
    ///
    /// - Parameter limit: time after which running threads are detached, for a process that is about to end: a name
    ///   lookup may take minutes if no name server answers.
    public func stop(within limit: Duration? = nil) {
        state.withLock { $0.isStopping = true }
        for _ in threads { semaphore.signal() }
        defer { threads = [] }
        if let limit, !haveEnded(by: .now + limit) {
            for thread in threads { thread.detach() }
            return
        }
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
            if let next {
                next.element.run()
                state.withLock { $0.work.end(of: next.owner) }
            } else if isStopping {
                return state.withLock { $0.ended += 1 }
            }
        }
    }
}
