import CLinux
import Glibc

/// A closure scheduled to run on a loop.
///
/// Must be used on the loop's thread only.
public final class Timer {
    let deadline: Int64
    private var body: (() -> Void)?

    init(deadline: Int64, body: @escaping () -> Void) {
        self.deadline = deadline
        self.body = body
    }

    /// Cancels the timer and releases its closure.
    public func cancel() { body = nil }

    var isCancelled: Bool { body == nil }

    func fire() {
        let body = self.body
        self.body = nil
        body?()
    }
}

/// The pending timers as a binary heap, earliest first; cancelled timers are removed when they reach the top.
struct TimerHeap {
    private var timers: [Timer] = []

    var nextDeadline: Int64? { timers.first?.deadline }

    mutating func insert(_ timer: Timer) {
        timers.append(timer)
        var child = timers.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard timers[child].deadline < timers[parent].deadline else { return }
            timers.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the earliest timer if it is due at `now`.
    mutating func popDue(_ now: Int64) -> Timer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        timers.swapAt(0, timers.count - 1)
        timers.removeLast()
        siftDown()
        return first
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count {
                if timers[child].deadline < timers[least].deadline { least = child }
            }
            guard least != parent else { return }
            timers.swapAt(parent, least)
            parent = least
        }
    }
}

/// The monotonic clock, in nanoseconds.
public enum MonotonicTime {
    public static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// Whole nanoseconds, saturated to the range of 64 bits (292 years).
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}

/// The signals of the process, received by one thread that waits for them and never by a handler.
public enum Signals {
    /// Ignores SIGPIPE and blocks `signals` for every thread started afterwards, so that `wait` receives them.
    public static func claim(_ signals: [Int32]) {
        signal(SIGPIPE, SIG_IGN)
        var set = set(of: signals)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Restores the kernel's default action for faults, because Swift's own report prints registers and nearby memory.
    public static func endSilentlyAtFaults() {
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] { signal(number, SIG_DFL) }
    }

    /// Applies the system's default action of a claimed `signal`, then claims it again if the process continues.
    public static func obey(_ signal: Int32) {
        var set = set(of: [signal])
        kill(getpid(), signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Blocks the calling thread until one of the claimed `signals` arrives, and returns it.
    public static func wait(for signals: [Int32]) -> Int32 {
        var set = set(of: signals)
        var received: Int32 = 0
        while unsafe sigwait(&set, &received) != 0 {}
        return received
    }

    /// Whether one of the claimed `signals` has arrived and is still pending.
    public static func arePending(_ signals: [Int32]) -> Bool {
        var pending = sigset_t()
        unsafe sigemptyset(&pending)
        unsafe sigpending(&pending)
        return signals.contains { unsafe sigismember(&pending, $0) == 1 }
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        return set
    }
}

/// The registration of one descriptor with a loop's epoll instance.
///
/// Must be used on the loop's thread only; the caller keeps it in order to change or cancel it.
public final class Watch {
    let descriptor: Int32
    let handler: (EventLoop.Readiness) -> Void
    var token: UInt64 = 0
    private let epoll: Int32
    // Unowned, because a weak reference slows every retain of the loop. A watch belongs to a loop that runs.
    private unowned let loop: EventLoop
    private var isActive = false

    init(descriptor: Int32, epoll: Int32, loop: EventLoop, handler: @escaping (EventLoop.Readiness) -> Void) {
        self.descriptor = descriptor
        self.epoll = epoll
        self.loop = loop
        self.handler = handler
    }

    /// Changes the events to wait for.
    public func change(to interest: EventLoop.Readiness) {
        guard isActive else { return }
        pippin_epoll_change(epoll, descriptor, interest.rawValue, token)
    }

    /// Ends the registration; must be called before the descriptor is closed.
    ///
    /// Further calls do nothing.
    public func cancel() {
        guard isActive else { return }
        isActive = false
        pippin_epoll_remove(epoll, descriptor)
        loop.forget(self)
    }

    func register(_ interest: EventLoop.Readiness) throws(EventLoop.Failure) {
        guard pippin_epoll_add(epoll, descriptor, interest.rawValue, token) == 0 else {
            throw .system(call: "epoll_ctl", errno: errno)
        }
        isActive = true
    }
}

/// The watches of a loop by token.
///
/// Tokens are never reused, so an event that was already fetched when its watch was cancelled finds no watch.
struct WatchTable {
    static let wakeupToken: UInt64 = 0

    private var watches: [UInt64: Watch] = [:]
    private var lastToken: UInt64 = Self.wakeupToken

    mutating func insert(_ watch: Watch) -> UInt64 {
        lastToken += 1
        watches[lastToken] = watch
        return lastToken
    }

    mutating func remove(_ token: UInt64) { watches[token] = nil }

    subscript(token: UInt64) -> Watch? { watches[token] }
}

/// Checks during the start of a process for pending signals to end, and acts if one is pending for too long.
///
/// The starting thread can block for as long as another program does, and handles signals only after that.
public final class StartWatch: Sendable {
    private static let interval: UInt32 = 20_000

    private let isOver: Flag
    private let thread: LoopThread

    /// - Parameters:
    ///   - signals: signals to check, which must be claimed before.
    ///   - timeout: how long one of them may be pending.
    ///   - act: called at most once, on a separate thread.
    public init(for signals: [Int32], timeout: Duration, act: @escaping @Sendable () -> Void) throws(EventLoop.Failure)
    {
        let isOver = Flag()
        self.isOver = isOver
        thread = try LoopThread.start(name: "start-watch") {
            var arrival: ContinuousClock.Instant?
            while !isOver.isSet {
                if Signals.arePending(signals) {
                    let first = arrival ?? .now
                    if ContinuousClock.now - first > timeout { return act() }
                    arrival = first
                }
                usleep(Self.interval)
            }
        }
    }

    /// Ends the watch once the process has started and handles signals itself.
    public func end() { if isOver.set() { thread.join() } }
}
