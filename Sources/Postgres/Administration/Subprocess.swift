import Glibc

/// Runs programs of the system without a shell.
///
/// Standard input is `/dev/null`, no signal is blocked or ignored, and the environment has only a path, the locale and
/// the time zone. Descriptors of this process must be close-on-exec.
enum Subprocess {
    /// Result of a program: its exit code (128 + signal if a signal ended it) and its output.
    struct Outcome {
        let code: Int32
        let output: String
    }

    enum Failure: Error, Equatable, CustomStringConvertible {
        case notStarted(FileFailure)
        case timedOut(program: String)
        case interrupted

        var description: String {
            switch self {
            case .notStarted(let failure): "\(failure.path): \(failure.reason)"
            case .timedOut(let program): "\(program) took too long"
            case .interrupted: "it was told to end"
            }
        }
    }

    private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"]
    /// glibc's POSIX_SPAWN_SETSID, which Swift does not import.
    private static let setSession: Int32 = 0x80
    private static let mostOutput = 65_536
    private static let politeness = Duration.milliseconds(400)

    /// Runs a program to its end and returns what it wrote to standard output and standard error.
    ///
    /// `command[0]` is its path. It is ended if it takes longer than `limit`, or if `isInterrupted` returns true.
    static func run(_ command: [String], limit: Duration = .seconds(60), isInterrupted: () -> Bool = { false })
        throws(Failure) -> Outcome
    {
        var ends: [Int32] = [-1, -1]
        // A socket pair, because it is close-on-exec from its creation: another thread may spawn at any moment.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .notStarted(.last(command[0])) }
        defer { close(ends[0]) }
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try spawn(command, output: ends[1], ownSession: true)
        }
        guard let output = read(from: ends[0], until: .now + limit, unless: isInterrupted) else {
            end(process, writingTo: ends[0])
            throw isInterrupted() ? Failure.interrupted : Failure.timedOut(program: command[0])
        }
        return Outcome(code: wait(for: process), output: String(decoding: output, as: UTF8.self))
    }

    /// Starts a program without waiting for its end, and returns its process id.
    ///
    /// In its own session it does not receive the signals that a terminal sends to this process (Ctrl-C).
    static func spawn(_ command: [String], input: Int32? = nil, output: Int32? = nil, ownSession: Bool = false)
        throws(Failure) -> pid_t
    {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe connect(0, to: input, O_RDONLY, &actions)
        unsafe connect(1, to: output, O_WRONLY, &actions)
        unsafe connect(2, to: output, O_WRONLY, &actions)

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        resetSignals(&attributes, ownSession: ownSession)

        var process: pid_t = 0
        let status = unsafe withMutablePointers(command) { arguments in
            unsafe withMutablePointers(environment) { environment in
                unsafe posix_spawn(&process, command[0], &actions, &attributes, arguments, environment)
            }
        }
        guard status == 0 else { throw .notStarted(FileFailure(path: command[0], errno: status)) }
        return process
    }

    /// Whether a child process has ended, which reaps it; true also if it is not a child of this process.
    static func hasEnded(_ process: pid_t) -> Bool {
        var status: Int32 = 0
        return unsafe waitpid(process, &status, WNOHANG) != 0
    }

    /// Ends a program and its children, by SIGTERM first: as long as one of them runs, its output stays open.
    private static func end(_ process: pid_t, writingTo output: Int32) {
        for signal in [SIGTERM, SIGKILL] {
            kill(-process, signal)
            if read(from: output, until: .now + politeness) != nil { break }
        }
        kill(-process, SIGKILL)
        _ = wait(for: process)
    }

    private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Reads to the end of the stream, keeping at most `mostOutput` octets; nil at the deadline or on interruption.
    private static func read(
        from descriptor: Int32, until deadline: ContinuousClock.Instant, unless isInterrupted: () -> Bool = { false }
    ) -> [UInt8]? {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero, !isInterrupted() else { return nil }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe Glibc.poll(&poll, 1, 50) > 0 else { continue }
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count == -1 && errno == EINTR { continue }
            guard count > 0 else { return output }
            output += buffer.prefix(min(count, mostOutput - output.count))
        }
    }

    private static func connect(
        _ descriptor: Int32, to source: Int32?, _ mode: Int32, _ actions: inout posix_spawn_file_actions_t
    ) {
        if let source {
            unsafe posix_spawn_file_actions_adddup2(&actions, source, descriptor)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", mode, 0)
        }
    }

    /// Resets signals, because blocked or ignored ones would stay so in the program, and PostgreSQL stops by signals.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t, ownSession: Bool) {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | (ownSession ? setSession : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// Passes strings as mutable, which `posix_spawn` declares but does not change (POSIX, exec, rationale).
    private static func withMutablePointers(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        unsafe CStrings.withPointers(to: strings) { pointers in
            let mutable = unsafe UnsafeRawPointer(pointers)?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
            guard let mutable = unsafe mutable else { return EINVAL }
            return unsafe body(mutable)
        }
    }
}
