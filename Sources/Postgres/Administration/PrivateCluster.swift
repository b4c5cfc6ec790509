import EventLoop
import Glibc
import Synchronization

/// A private PostgreSQL cluster: the system's programs on Pippin's own data, reached over a Unix socket only.
///
/// Several processes may use one cluster, each with a shared lock on it. The first starts the server and the last one
/// stops it; a server whose users were all killed keeps running and serves the next one.
public final class PrivateCluster: Sendable {
    private let server: ClusterServer
    private let use: ClusterUse
    private let keeper: Mutex<ClusterKeeper>

    private init(_ server: ClusterServer, use: ClusterUse) {
        self.server = server
        self.use = use
        keeper = Mutex(ClusterKeeper(of: server))
    }

    /// Connection string for the database `pippin`, for libpq and its programs.
    public var conninfo: String { conninfo(database: "pippin") }

    /// Connection string for the database `pippin` with the rights of `roles`, which exist in it, and no others.
    ///
    /// The login role is created if it is missing.
    public func conninfo(asLogin name: String, of roles: [String]) throws(ClusterFailure) -> String {
        try server.makeLogin(name, of: roles)
        return server.conninfo("pippin", as: name)
    }

    /// Connection string for another database of the cluster.
    public func conninfo(database: String) -> String { server.conninfo(database) }

    /// The server's log file.
    public var log: String { server.location.log }

    /// Begins to use the cluster of a data folder, created and started if needed.
    ///
    /// Returns when the server accepts connections and has the database `pippin`. `report` receives lines for the
    /// operator, and another thread may abandon `use` meanwhile.
    public static func start(
        in directory: DataDirectory, _ settings: ClusterSettings = ClusterSettings(), use: ClusterUse = ClusterUse(),
        report: (String) -> Void
    ) throws(ClusterFailure) -> PrivateCluster {
        let deadline = ContinuousClock.now + settings.startLimit + settings.stopLimit
        let user = try DatabaseUser.choose()
        let lock = try directory.lock(named: "cluster.lock")
        while true {
            // Alone, it sets the cluster up if there is none; a process that stops the server is alone as well.
            let isAlone = lock.take(.exclusive)
            if isAlone || lock.take(.shared) {
                let location = try ClusterLocation.choose(for: directory, user, report: report)
                let server = ClusterServer(location: location, user: user, settings: settings)
                if isAlone { try server.initialise() }
                if location.version != nil, lock.take(.shared) {
                    use.begin(of: location, by: lock)
                    // Two that start the server at once are told apart by PostgreSQL.
                    try server.start()
                    try server.makeDatabase("pippin")
                    return PrivateCluster(server, use: use)
                }
            }
            guard ContinuousClock.now < deadline else { throw .busy(path: directory.path) }
            usleep(10_000)
        }
    }

    /// Restarts the server if it has died, at once the first time and increasingly later if it keeps ending.
    ///
    /// Call it repeatedly while the cluster is in use, from a thread that may access files. It does not wait for the
    /// server to accept connections.
    public func look() -> [ClusterEvent] { keeper.withLock { $0.look(at: .now) } }

    /// Ends this process's use of the cluster, and stops the server unless another process uses it.
    ///
    /// - Parameter limit: time limit for a fast shutdown, for a server that does not answer anyway; an immediate
    ///   shutdown then has the same limit again.
    public func stop(within limit: Duration? = nil) throws(ClusterFailure) {
        keeper.withLock { $0.leave() }
        guard use.isLast() else { return }
        defer { use.end() }
        keeper.withLock { $0.waitForStart(within: limit ?? server.settings.stopLimit) }
        try server.stop(within: limit)
    }
}

/// Change in the state of a private cluster's server.
public enum ClusterEvent: Equatable, Sendable {
    /// The server ended without a request to stop.
    case died
    /// The server runs again.
    case started
    /// The server could not be started, or ended while starting.
    case notStarted(ClusterFailure)
    /// The program of the server was replaced, as by an upgrade of its package, so the server is restarted.
    case replaced
}

/// This process's use of a cluster, from the moment when its server may be started.
public final class ClusterUse: Sendable {
    /// The lock, held shared as long as the cluster is used, and the location of the cluster.
    private let state = Mutex<(lock: FileLock, location: ClusterLocation)?>(nil)

    /// Creates a use that has not begun.
    public init() {}

    /// Requests a shutdown of the server, unless another process uses it, without waiting.
    ///
    /// For a process that ends at once, from any thread, as the one that starts or uses the cluster may stay blocked.
    public func abandon() {
        state.withLock { state in
            guard let state, state.lock.take(.exclusive) else { return }
            Postmaster.running(on: state.location.data)?.tellToEnd()
        }
    }

    fileprivate func begin(of location: ClusterLocation, by lock: FileLock) { state.withLock { $0 = (lock, location) } }

    /// Whether no other process uses the cluster, in which case others are kept out; otherwise this use has ended.
    fileprivate func isLast() -> Bool { state.withLock { $0?.lock.take(.exclusive) ?? false } }

    fileprivate func end() { state.withLock { $0?.lock.release() } }
}

/// Restarts the server of a cluster with `pg_ctl` when it has died.
private struct ClusterKeeper {
    /// Run time after which a server has started well, whatever ends it later.
    private static let steady = Duration.seconds(60)
    private static let firstPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(30)

    private let server: ClusterServer
    /// The `pg_ctl` that is starting the server.
    private var starter: ClusterServer.Starter?
    /// The server that ran at the last look.
    private var process: pid_t?
    private var since = ContinuousClock.now
    /// Consecutive starts that failed, or after which the server did not run for long.
    private var failures = 0
    private var nextStart = ContinuousClock.now
    private var isTold = false
    private var isEnding = false

    /// - Parameter server: a server that runs and accepts connections.
    init(of server: ClusterServer) {
        self.server = server
        process = server.postmaster?.process
    }

    /// Starts the server unless it runs, is starting, or died too recently; returns the new events.
    mutating func look(at now: ContinuousClock.Instant) -> [ClusterEvent] {
        if isEnding { return [] }
        if let starter {
            guard starter.hasEnded else { return [] }
            self.starter = nil
            if server.status == .absent {
                pause(from: now)
                return [.notStarted(starter.failure)]
            }
        }
        switch server.status {
        case .running(let postmaster): return noteRunning(postmaster, at: now)
        // A server whose status cannot be read is not assumed dead.
        case .unknown: return []
        case .absent: break
        }
        var events: [ClusterEvent] = []
        if process != nil {
            events.append(.died)
            process = nil
            pause(from: now)
        }
        guard nextStart <= now else { return events }
        do throws(ClusterFailure) { starter = try server.beginStart() } catch {
            pause(from: now)
            events.append(.notStarted(error))
        }
        return events
    }

    /// Prevents further starts.
    mutating func leave() { isEnding = true }

    /// Waits until a server that is being started can be stopped.
    func waitForStart(within limit: Duration) {
        guard let starter else { return }
        let deadline = ContinuousClock.now + limit
        while server.postmaster == nil, !starter.hasEnded, ContinuousClock.now < deadline { usleep(5_000) }
    }

    private mutating func noteRunning(_ postmaster: Postmaster, at now: ContinuousClock.Instant) -> [ClusterEvent] {
        guard postmaster.process == process else {
            // Another process may have restarted the server between two calls of `look`.
            let death: [ClusterEvent] = process == nil ? [] : [.died]
            if process != nil { pause(from: now) }
            (process, since, isTold) = (postmaster.process, now, false)
            return death + [.started]
        }
        if now - since >= Self.steady { failures = 0 }
        guard !isTold, postmaster.isReplaced, server.isInstalled else { return [] }
        isTold = true
        postmaster.tellToEnd()
        return [.replaced]
    }

    /// Sets the time of the next start: at once the first time, then with a pause that doubles each time.
    private mutating func pause(from now: ContinuousClock.Instant) {
        defer { failures += 1 }
        guard failures > 0 else { return nextStart = now }
        nextStart = now + min(Self.firstPause * (1 << min(failures - 1, 10)), Self.longestPause)
    }
}

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

    private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"]
    /// glibc's POSIX_SPAWN_SETSID, which Swift does not import.
    private static let setSession: Int32 = 0x80
    private static let mostOutput = 65_536

    /// Runs a program to its end and returns what it wrote to standard output and standard error, at most 64 KiB.
    ///
    /// - Parameters:
    ///   - command: its path and arguments.
    ///   - limit: seconds without output after which it is killed, because who runs as the same user may have halted it.
    static func run(_ command: [String], limit: Int = 600) throws(FileFailure) -> Outcome {
        var ends: [Int32] = [-1, -1]
        // A socket pair, because it is close-on-exec from its creation: another thread may spawn at any moment.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .last(command[0]) }
        defer { close(ends[0]) }
        var timeout = timeval(tv_sec: limit, tv_usec: 0)
        unsafe setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try spawn(command, output: ends[1])
        }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(ends[0], &buffer, buffer.count)
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
    static func spawn(_ command: [String], output: Int32? = nil) throws(FileFailure) -> pid_t {
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
