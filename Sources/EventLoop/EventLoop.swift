// EventLoop: one thread, one epoll instance, and the tasks that run on it.
//
// Owns: loop threads, readiness of descriptors, timers, the task executor, the blocking pool, signals.
// Must not know: the meaning of the data on the descriptors.
// Standards: epoll(7), eventfd(2), signal(7); Swift's TaskExecutor (SE-0417).

import CLinux
import Glibc
import Synchronization

/// A thread that waits on one epoll instance and runs the tasks that prefer it as their executor.
///
/// A task started here never migrates, so state that belongs to a loop needs no lock.
// @unchecked Sendable: every stored property but the inbox and the two descriptors is accessed only on the loop's
// own thread (`preconditionCurrent`); the inbox is a Mutex, the descriptors never change.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// Order of the hooks at the end of a turn: responses are written first, because that may start waiting requests,
    /// which then send queries on outgoing connections.
    public enum Phase: Int, CaseIterable, Sendable {
        case answers
        case queries
    }

    /// Events of a descriptor.
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let read = Readiness(rawValue: pippin_epoll_read)
        public static let write = Readiness(rawValue: pippin_epoll_write)
        /// Error or hang-up, reported even if not requested.
        public static let closed = Readiness(rawValue: pippin_epoll_closed)
    }

    /// A failed system call.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case system(call: String, errno: Int32)

        public var description: String {
            switch self {
            case .system(let call, let number):
                "\(call): \(unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)")"
            }
        }
    }

    /// Name of the thread, at most 15 bytes, as shown by `top -H`.
    public let name: String

    private let epoll: Int32
    private let wakeup: Int32
    private let inbox = Mutex(Inbox())
    private var thread: LoopThread?
    /// `pthread_self` of the thread; zero while none runs.
    private let identity = Atomic<UInt>(0)

    private var ready: [UnownedJob] = []
    private var running: [UnownedJob] = []
    private var watches = WatchTable()
    private var timers = TimerHeap()
    private var hooks: [[() -> Void]] = Phase.allCases.map { _ in [] }
    private var isStopping = false

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var work: [@Sendable () -> Void] = []
        var isEmpty: Bool { jobs.isEmpty && work.isEmpty }
    }

    /// Creates a loop that is not yet running.
    public init(name: String) throws(Failure) {
        self.name = name
        epoll = try Self.check("epoll_create1", pippin_epoll_create())
        wakeup = try Self.check("eventfd", pippin_eventfd_create())
        let added = pippin_epoll_add(epoll, wakeup, pippin_epoll_read, WatchTable.wakeupToken)
        try Self.check("epoll_ctl", added)
    }

    deinit {
        close(wakeup)
        close(epoll)
    }

    /// Starts the thread, which first runs the tasks and work submitted before.
    public func start(priority: BlockingPool.Priority = .normal) throws(Failure) {
        thread = try LoopThread.start(name: name, priority: priority) { self.runUntilStopped() }
    }

    /// Lets the current turn finish, ends the thread, and waits for it.
    ///
    /// Must not be called on the loop itself.
    public func stop() {
        execute { self.isStopping = true }
        thread?.join()
        thread = nil
    }

    /// Whether the caller runs on this loop's thread.
    // Not inlined: glibc declares pthread_self() const, so calls on both sides of a suspension may be merged.
    @inline(never) public var isCurrent: Bool { identity.load(ordering: .relaxed) == pthread_self() }

    /// Traps if called off the loop, which is a programming error and never the effect of input.
    public func preconditionCurrent() { precondition(isCurrent, "called off the loop \(name)") }

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        if isCurrent { ready.append(unowned) } else { deliver { $0.jobs.append(unowned) } }
    }

    /// Runs `work` on the loop in a later turn.
    ///
    /// Can be called from any thread.
    public func execute(_ work: @escaping @Sendable () -> Void) { deliver { $0.work.append(work) } }

    /// Runs `body` as a task of this loop and returns its result; callable from any executor.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await Task(executorPreference: self) { try await body() }.value
    }

    /// Runs `body` as a task of the loop and blocks the calling thread until it ends.
    ///
    /// For the main thread of a command, which has nothing else to do. Must not be called on a loop's own thread.
    public func wait<Result: Sendable>(for body: @escaping @Sendable () async throws -> Result) throws -> Result {
        precondition(!isCurrent, "a loop cannot wait for itself")
        let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
        let done = Semaphore()
        Task(executorPreference: self) {
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the task has ended") }
        return try result.get()
    }

    private func deliver(_ change: (inout Inbox) -> Void) {
        let wasEmpty = inbox.withLock { inbox in
            defer { change(&inbox) }
            return inbox.isEmpty
        }
        if wasEmpty { eventfd_write(wakeup, 1) }
    }

    @discardableResult private static func check(_ call: String, _ result: Int32) throws(Failure) -> Int32 {
        guard result >= 0 else { throw .system(call: call, errno: errno) }
        return result
    }
}

// Methods that must be called on the loop's own thread.
extension EventLoop {
    /// Calls `handler` whenever `descriptor` is ready for `interest`, until the watch is cancelled.
    public func watch(_ descriptor: Int32, for interest: Readiness, _ handler: @escaping (Readiness) -> Void)
        throws(Failure) -> Watch
    {
        preconditionCurrent()
        let watch = Watch(descriptor: descriptor, epoll: epoll, loop: self, handler: handler)
        watch.token = watches.insert(watch)
        do throws(Failure) { try watch.register(interest) } catch {
            watches.remove(watch.token)
            throw error
        }
        return watch
    }

    func forget(_ watch: Watch) { watches.remove(watch.token) }

    /// Calls `body` once after `delay`, unless the timer is cancelled first.
    @discardableResult public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> Timer {
        preconditionCurrent()
        let (deadline, isNever) = MonotonicTime.now().addingReportingOverflow(max(0, delay.nanoseconds))
        let timer = Timer(deadline: isNever ? .max : deadline, body: body)
        timers.insert(timer)
        return timer
    }

    /// Suspends the calling task, which must run on this loop, for `delay`.
    public func sleep(for delay: Duration) async {
        await unsafe withUnsafeContinuation { continuation in schedule(after: delay) { unsafe continuation.resume() } }
    }

    /// Calls `hook` at the end of every turn, before the loop waits for events, as long as it runs.
    public func atEndOfTurn(_ phase: Phase, _ hook: @escaping () -> Void) {
        preconditionCurrent()
        hooks[phase.rawValue].append(hook)
    }
}

// Each turn waits for events, then calls handlers, timers, ready jobs, and hooks.
extension EventLoop {
    private func runUntilStopped() {
        identity.store(pthread_self(), ordering: .relaxed)
        takeInbox()
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            while !isStopping { unsafe turn(events) }
        }
        runReadyJobs()
        identity.store(0, ordering: .relaxed)
    }

    private func turn(_ events: UnsafeMutableBufferPointer<epoll_event>) {
        let count = unsafe epoll_wait(epoll, events.baseAddress, Int32(events.count), pause())
        for index in 0..<max(0, Int(count)) {
            let event = unsafe events[index]
            let token = unsafe event.data.u64
            if token == WatchTable.wakeupToken {
                takeInbox()
            } else {
                unsafe watches[token]?.handler(Readiness(rawValue: event.events))
            }
        }
        fireTimers()
        runReadyJobs()
        // What jobs leave behind after a hook is for that hook again, before the loop waits.
        var hasRunJobs: Bool
        repeat {
            hasRunJobs = false
            for hooks in hooks {
                for hook in hooks { hook() }
                if runReadyJobs() { hasRunJobs = true }
            }
        } while hasRunJobs
    }

    /// Timeout of `epoll_wait` in milliseconds; -1 waits until an event arrives.
    private func pause() -> Int32 {
        if !ready.isEmpty || isStopping { return 0 }
        guard let deadline = timers.nextDeadline else { return -1 }
        let rest = deadline - MonotonicTime.now()
        return rest <= 0 ? 0 : Int32(clamping: (rest + 999_999) / 1_000_000)
    }

    private func takeInbox() {
        var count: eventfd_t = 0
        unsafe eventfd_read(wakeup, &count)
        let taken = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox
        }
        for work in taken.work { work() }
        ready.append(contentsOf: taken.jobs)
    }

    private func fireTimers() {
        guard let first = timers.nextDeadline else { return }
        let now = MonotonicTime.now()
        guard first <= now else { return }
        while let timer = timers.popDue(now) { timer.fire() }
    }

    /// Runs the ready jobs, and the jobs that these make ready, in rounds; the two arrays are swapped to keep their
    /// storage.
    ///
    /// - Returns: whether there were any.
    @discardableResult private func runReadyJobs() -> Bool {
        guard !ready.isEmpty else { return false }
        while !ready.isEmpty {
            swap(&ready, &running)
            for job in running { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
            running.removeAll(keepingCapacity: true)
        }
        return true
    }
}

/// An operating system thread that runs one closure and can be joined.
// @unchecked Sendable: the handle is written once before the value is shared.
final class LoopThread: @unchecked Sendable {
    private var handle: pthread_t = 0

    private final class Box {
        let name: String
        let priority: BlockingPool.Priority
        let body: () -> Void

        init(_ name: String, _ priority: BlockingPool.Priority, _ body: @escaping () -> Void) {
            self.name = name
            self.priority = priority
            self.body = body
        }
    }

    static func start(name: String, priority: BlockingPool.Priority = .normal, _ body: @escaping () -> Void)
        throws(EventLoop.Failure) -> LoopThread
    {
        let thread = LoopThread()
        // Retained here; the thread takes over the reference.
        let box = unsafe Unmanaged.passRetained(Box(name, priority, body)).toOpaque()
        let result = unsafe pthread_create(&thread.handle, nil, Self.enter, box)
        guard result == 0 else {
            unsafe Unmanaged<Box>.fromOpaque(box).release()
            throw .system(call: "pthread_create", errno: result)
        }
        return thread
    }

    func join() { pthread_join(handle, nil) }

    /// Detaches the thread, so that its resources are freed when it ends.
    func detach() { pthread_detach(handle) }

    private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        guard let pointer = unsafe $0 else { return nil }
        let box = unsafe Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue()
        unsafe pippin_name_thread(box.name)
        // Linux keeps a priority for each thread, and 0 means the calling one (setpriority(2)).
        if box.priority == .low { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
        let signalStack = unsafe pippin_signal_stack()
        defer { unsafe pippin_drop_signal_stack(signalStack) }
        box.body()
        return nil
    }
}
