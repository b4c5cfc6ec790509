import Glibc

/// The signals of the process: taken by one thread that waits for them, never by a handler.
public enum Signals {
    /// Ignores SIGPIPE and keeps `signals` from every thread started afterwards, so that `wait` gets them.
    public static func claim(_ signals: [Int32]) {
        signal(SIGPIPE, SIG_IGN)
        var set = set(of: signals)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Has a fault end the process as the kernel does: Swift's own report shows registers and the memory behind them.
    public static func endSilentlyAtFaults() {
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] { signal(number, SIG_DFL) }
    }

    /// Lets the system do by default what `signal`, claimed before, asks for, and claims it again where the process goes on.
    public static func obey(_ signal: Int32) {
        var set = set(of: [signal])
        kill(getpid(), signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Blocks the calling thread until one of `signals`, claimed before, arrives, and returns it.
    public static func wait(for signals: [Int32]) -> Int32 {
        var set = set(of: signals)
        var received: Int32 = 0
        while unsafe sigwait(&set, &received) != 0 {}
        return received
    }

    /// Whether one of `signals`, claimed before, has arrived and nobody has taken it yet.
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
