import EventLoop
import Glibc

/// Runs programs of the system without a shell.
///
/// Standard input is `/dev/null`, no signal is blocked or ignored, and the environment has only a path, the locale and
/// the time zone. Descriptors of this process must be close-on-exec.
public enum Subprocess {
    /// Result of a program: its exit code (128 + signal if a signal ended it) and its output.
    public struct Outcome {
        public let code: Int32
        public let output: String

        /// The line that says why the program failed.
        public var reason: String {
            let (lines, marks) = (output.split(separator: "\n").map(String.init), ["error: ", "FATAL: ", "ERROR: "])
            return lines.first { line in marks.contains { line.contains($0) } } ?? lines.last ?? "exit code \(code)"
        }
    }

    private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"]
    /// glibc's POSIX_SPAWN_SETSID, which Swift does not import.
    private static let setSession: Int32 = 0x80
    private static let mostOutput = 65_536

    /// Runs a program to its end and returns what it wrote to standard output and standard error, at most 64 KiB.
    ///
    /// - Parameters:
    ///   - command: its path and arguments.
    ///   - limit: seconds without output after which it is killed, because who runs as the same user may have halted it.
    ///   - added: further variables of its environment, as `name=value`.
    ///   - tick: called each second without output, however long that lasts, in place of the limit.
    public static func run(
        _ command: [String], limit: Int = 600, environment added: [String] = [], tick: (() -> Void)? = nil
    ) throws(FileFailure) -> Outcome {
        var ends: [Int32] = [-1, -1]
        // A socket pair, because it is close-on-exec from its creation: another thread may spawn at any moment.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .last(command[0]) }
        defer { close(ends[0]) }
        var timeout = timeval(tv_sec: tick == nil ? limit : 1, tv_usec: 0)
        unsafe setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try spawn(command, output: ends[1], environment: environment + added)
        }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(ends[0], &buffer, buffer.count)
            if count == -1 && errno == EAGAIN, let tick {
                tick()
                continue
            }
            if count == -1 && errno == EAGAIN { kill(process, SIGKILL) }
            guard count > 0 || (count == -1 && errno == EINTR) else { break }
            output += buffer.prefix(min(max(count, 0), mostOutput - output.count))
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7F
        return Outcome(
            code: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: String(decoding: output, as: UTF8.self))
    }

    /// Starts a program without waiting for its end, and returns its process id.
    ///
    /// In its own session it does not receive the signals that a terminal sends to this process (Ctrl-C).
    static func spawn(_ command: [String], output: Int32? = nil, environment: [String] = environment)
        throws(FileFailure) -> pid_t
    {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for descriptor: Int32 in [1, 2] {
            if let output {
                unsafe posix_spawn_file_actions_adddup2(&actions, output, descriptor)
            } else {
                unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        resetSignals(&attributes)
        var process: pid_t = 0
        let status = unsafe CStringArray.withMutable(command) { arguments in
            unsafe CStringArray.withMutable(environment) { environment in
                unsafe posix_spawn(&process, command[0], &actions, &attributes, arguments, environment)
            }
        }
        guard status == 0 else { throw FileFailure(path: command[0], errno: status) }
        return process
    }

    /// Whether a child process has ended, which reaps it; true also if it is not a child of this process.
    static func hasEnded(_ process: pid_t) -> Bool {
        var status: Int32 = 0
        return unsafe waitpid(process, &status, WNOHANG) != 0
    }

    /// Resets signals, because blocked or ignored ones would stay so in the program, and PostgreSQL stops by signals.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | setSession
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    }
}
