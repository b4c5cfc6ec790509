import CLinux
import EventLoop
import Glibc
import Postgres

/// A worker process, as its supervisor manages it.
final class WorkerProcess {
    /// End of a worker: its exit status, or the signal that killed it.
    enum End: Equatable {
        case status(Int32)
        case signal(Int32)

        /// - Parameter status: status from waitpid(2).
        init(_ status: Int32) {
            let signal = status & 0x7F
            self = signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal)
        }

        /// Whether the worker's settings or environment were refused, so that another would be refused as well.
        var isRefusal: Bool { self == .status(ExitStatus.refused.code) || self == .status(ExitStatus.usage.code) }
    }

    let process: pid_t
    let begin = ContinuousClock.now
    /// Socket on which the worker sends `WorkerLink.Message`; -1 after the worker has closed it.
    private(set) var control: Int32
    private(set) var isReady = false
    /// Whether the database answered, according to the worker.
    private(set) var databaseAnswers = true
    /// Ticks of the watchdog since the last beat of each loop.
    private var missed: [Int: Int] = [:]

    /// Starts the program at `path` with the arguments of this process, on these sockets.
    init(_ path: String, sockets: [Int32], isFirst: Bool) throws(CommandFailure) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw CommandFailure("no sockets for a worker: \(SystemError.last)", isTransient: true)
        }
        control = ends[0]
        defer { close(ends[1]) }
        let value = "\(WorkerLink.variable)=\(getpid()) \(sockets.count) \(isFirst ? 1 : 0)"
        do throws(CommandFailure) { process = try Self.spawn(path, handing: [ends[1]] + sockets, value) } catch {
            close(ends[0])
            throw error
        }
    }

    deinit { if control >= 0 { close(control) } }

    /// Reads the messages that the worker has sent.
    func listen() {
        var octets = [UInt8](repeating: 0, count: 16)
        let count = unsafe recv(control, &octets, octets.count, 0)
        if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) {
            close(control)
            control = -1
        }
        for octet in octets.prefix(max(0, count)) {
            if let loop = WorkerLink.loop(ofBeat: octet) { missed[loop] = 0 }
            switch WorkerLink.Message(rawValue: octet) {
            case .ready: isReady = true
            case .silence: databaseAnswers = false
            case nil: break
            }
        }
    }

    func send(_ signal: Int32) { kill(process, signal) }

    /// Counts a tick of the watchdog; returns the loop that has missed most beats, and how many.
    func tick() -> (loop: Int, missed: Int)? {
        for loop in missed.keys { missed[loop, default: 0] += 1 }
        return missed.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
    }

    /// Ends the worker by an abort of that loop's thread, whose backtrace says what it does.
    func abort(_ loop: Int) {
        let tasks = "/proc/\(process)/task"
        let thread = (try? Folder.names(in: tasks))?.first { name in
            (try? File.read("\(tasks)/\(name)/comm")) == Array("loop-\(loop)\n".utf8)
        }
        guard let thread = thread.flatMap({ Int32($0) }), pippin_signal_thread(process, thread, SIGABRT) == 0 else {
            return send(SIGABRT)
        }
    }

    /// Tells the worker whether the data directory can be written.
    func tell(isFolderWritable: Bool) {
        var octet: UInt8 = isFolderWritable ? 1 : 0
        _ = unsafe Glibc.send(control, &octet, 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    /// Sends a signal to the worker and to the processes that it started, unless they left its process group.
    func sendToAll(_ signal: Int32) { kill(-process, signal) }

    /// Starts the worker in its own session, apart from the terminal, so that its child processes can be ended with it.
    ///
    /// The signals that are blocked here stay blocked in the worker until it handles them.
    private static func spawn(_ path: String, handing descriptors: [Int32], _ variable: String) throws(CommandFailure)
        -> pid_t
    {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(&attributes, pippin_spawn_session)
        // Above the target descriptors, because a source may have the number of another's target.
        let beyond = WorkerLink.control + Int32(descriptors.count)
        let sources = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, beyond) }
        defer { for source in sources where source >= 0 { close(source) } }
        guard sources.allSatisfy({ $0 >= 0 }) else {
            throw CommandFailure("no descriptors for a worker: \(SystemError.last)", isTransient: true)
        }
        for (index, source) in sources.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, source, WorkerLink.control + Int32(index))
        }
        let inherited = Environment.lines.filter { !$0.hasPrefix(WorkerLink.variable + "=") }
        let environment = inherited + [variable] + Malloc.variables + SwiftBacktrace.variables(forProgram: path)
        var process: pid_t = 0
        let status = unsafe CStringArray.withMutable(CommandLine.arguments) { arguments in
            unsafe CStringArray.withMutable(environment) { environment in
                unsafe posix_spawn(&process, path, &actions, &attributes, arguments, environment)
            }
        }
        guard status == 0 else {
            throw CommandFailure("\(path) cannot be run: \(SystemError.text(status))", isTransient: true)
        }
        return process
    }
}

/// Backtraces of crashed workers, which the Swift runtime has the program `swift-backtrace` write to standard error.
///
/// They name functions, files and lines. Registers and memory, which may hold secrets, are left out.
private enum SwiftBacktrace {
    private static let variable = "SWIFT_BACKTRACE"
    private static let settings =
        "enable=yes,threads=crashed,registers=none,images=none,limit=32,symbolicate=fast,interactive=no,color=no"

    /// Environment variables for a worker; none if the operator has set the variable, or without the program.
    static func variables(forProgram program: String) -> [String] {
        guard Environment.value(variable) == nil, let path = find(beside: program) else { return [] }
        return ["\(variable)=\(settings),swift-backtrace=\(path)"]
    }

    /// The program beside Pippin's own, else that of the toolchain whose `swift` is in the path.
    private static func find(beside program: String) -> String? {
        let own = program.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let path = (Environment.value("PATH") ?? "").split(separator: ":").map { "\($0)/../libexec/swift/linux" }
        return ([own] + path).map { $0 + "/swift-backtrace" }.first {
            unsafe $0.hasPrefix("/") && access($0, X_OK) == 0
        }
    }
}

/// Message of the last system call that failed.
enum SystemError {
    static var last: String { text(errno) }

    static func text(_ number: Int32) -> String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}

/// What a worker inherits from its supervisor: file descriptors, and one environment variable that announces them.
struct WorkerLink {
    /// Messages from a worker to its supervisor, one octet each.
    enum Message: UInt8 {
        /// The worker serves.
        case ready = 0x52
        /// The database did not answer when the worker ended, so the supervisor need not wait for it.
        case silence = 0x53
    }

    /// Signal to a worker to accept no more requests and to end after the last one, while another worker serves.
    static let handOver = SIGUSR1
    /// Environment variable: process ID of the supervisor, number of loops, and 1 for the first worker.
    static let variable = "PIPPIN_WORKER"
    /// Descriptors that a worker inherits; the listening sockets follow.
    static let control: Int32 = 3
    static let firstSocket: Int32 = 4
    /// Seconds after which a worker that crashed dies although its backtrace is not complete.
    private static let backtraceLimit: UInt32 = 10

    /// Listening sockets, one for each loop.
    let sockets: [Int32]
    /// Whether this is the first worker, the only one that prints the addresses for the user at the terminal.
    let isFirst: Bool

    /// Inherited descriptors of this process; nil if it is not a worker.
    ///
    /// After this call, the process dies with its supervisor.
    static func inherited() throws(CommandFailure) -> WorkerLink? {
        guard let text = Environment.value(variable) else { return nil }
        unsafe unsetenv(variable)
        let numbers = text.split(separator: " ").compactMap { Int32($0) }
        guard numbers.count == 3, numbers[1] > 0, numbers[1] <= 4096 else { throw notStartedByServe }
        let sockets = (0..<numbers[1]).map { firstSocket + $0 }
        for descriptor in [control] + sockets {
            // Processes that the worker starts must not inherit them.
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw notStartedByServe }
        }
        _ = pippin_die_with_parent()
        _ = pippin_gain_no_rights()
        // Root must still read files that only root may read; it loses all rights later, with the change of user.
        if geteuid() != 0 { _ = pippin_drop_capabilities() }
        guard getppid() == numbers[0] else { throw notStartedByServe }
        unsafe pippin_name_thread("pippin-worker")
        _ = unsafe pippin_signal_stack()
        pippin_bound_backtraces(Self.backtraceLimit)
        return WorkerLink(sockets: sockets, isFirst: numbers[2] == 1)
    }

    private static var notStartedByServe: CommandFailure {
        CommandFailure("\(variable) is set by `pippin serve` for the process that it starts; leave it unset")
    }

    /// Whether the data directory can be written, as the supervisor has said last; nil without a new message.
    static func isFolderWritable() -> Bool? {
        var octets = [UInt8](repeating: 0, count: 16)
        let count = unsafe recv(control, &octets, octets.count, Int32(MSG_DONTWAIT))
        return count > 0 ? octets[count - 1] == 1 : nil
    }

    func report(_ message: Message) { report(message.rawValue) }

    /// Tells that a loop lives; loops beyond the hundredth share their beats with others.
    func beat(_ loop: Int) { report(Self.firstBeat + UInt8(loop % 100)) }

    private static let firstBeat: UInt8 = 0x80

    static func loop(ofBeat octet: UInt8) -> Int? { octet >= firstBeat ? Int(octet - firstBeat) : nil }

    private func report(_ octet: UInt8) {
        var octet = octet
        _ = unsafe send(Self.control, &octet, 1, Int32(MSG_NOSIGNAL))
    }
}
