import Glibc

/// The signals of the process, received by one thread that waits for them and never by a handler.
public enum Signals {
    /// Ignores SIGPIPE and blocks `signals` for every thread started afterwards, so that `wait` receives them.
    public static func claim(_ signals: [Int32]) {
        signal(SIGPIPE, SIG_IGN)
        var set = set(of: signals)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Runs `body`, which starts a thread that no signal to the process interrupts but those of its own faults.
    static func blockingAll<Result>(_ body: () -> Result) -> Result {
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        for number in faults { unsafe sigdelset(&all, number) }
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    private static let faults = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

    /// Restores the kernel's default action for faults, because Swift's own report prints registers and nearby memory.
    public static func endSilentlyAtFaults() { for number in faults { signal(number, SIG_DFL) } }

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
