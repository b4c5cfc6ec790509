import Glibc
import Synchronization

/// A few threads for calls that block or compute long: password hashing, key generation, name look-ups.
///
/// Its threads are shared fairly between those whose work it is: one alone may use them all, and as soon as another
/// waits, the next thread is theirs.
// @unchecked Sendable: the list of threads is written by init and by `stop` alone, the queue is a Mutex.
public final class BlockingPool: @unchecked Sendable {
    /// The queue is full: come back later.
    public struct Full: Error, Sendable {}

    /// How its threads stand to the others of the machine.
    public enum Priority: Sendable {
        case normal
        /// They run where nobody else wants to (nice 10): for what takes long and nobody waits for.
        case low
    }

    private let state: Mutex<State>
    private let semaphore = Semaphore()
    private var threads: [LoopThread] = []

    /// A call that waits.
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

    /// Starts `threads` threads; at most `queueLimit` calls wait for one.
    public init(
        name: String,
        threads count: Int,
        queueLimit: Int,
        priority: Priority = .normal
    ) throws(EventLoop.Failure) {
        state = Mutex(State(work: FairQueue(limit: queueLimit)))
        for index in 0..<count {
            let thread = try LoopThread.start(name: "\(name)-\(index)") {
                // Linux keeps a priority for each thread, and 0 is the calling one (setpriority(2)).
                if priority == .low { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
                self.work()
            }
            threads.append(thread)
        }
    }

    /// Runs `body` on one of the threads; the calling task goes on where it lives.
    ///
    /// - Parameter owner: whose work it is, such as the id of a team; the threads are shared between owners. Empty
    ///   for the house's own.
    /// - Throws: `Full` when too many calls wait already, or when one of a shorter line has taken the place of this;
    ///   and whatever `body` throws.
    public func run<Result: Sendable>(
        for owner: String = "",
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await unsafe withUnsafeThrowingContinuation {
            (continuation: UnsafeContinuation<Result, any Error>) in
            let call = Call(
                run: { unsafe continuation.resume(with: Swift.Result { try body() }) },
                refuse: { unsafe continuation.resume(throwing: Full()) }
            )
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
        // The signal of the one that leaves is there for the one that comes.
        case .displacing(let other): other.refuse()
        case .refused: call.refuse()
        }
    }

    /// How many calls it has taken on so far.
    public var callCount: Int { state.withLock { $0.accepted } }

    /// How many calls wait for a thread.
    public var waitingCount: Int { state.withLock { $0.work.count } }

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
            if let next {
                next.element.run()
                state.withLock { $0.work.end(of: next.owner) }
            } else if isStopping {
                return state.withLock { $0.ended += 1 }
            }
        }
    }
}
