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
                    try server.start(report)
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
    public func look() -> [ClusterEvent] {
        keeper.withLock { keeper in
            keeper.keepSmall(log, at: .now)
            return keeper.look(at: .now)
        }
    }

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
            Postmaster.running(on: state.location.data)?.requestShutdown()
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
    private var nextTrim = ContinuousClock.now

    /// - Parameter server: a server that runs and accepts connections.
    init(of server: ClusterServer) {
        self.server = server
        process = server.postmaster?.process
    }

    /// Keeps the server's log small, looking at it once a minute.
    mutating func keepSmall(_ log: String, at now: ContinuousClock.Instant) {
        guard nextTrim <= now else { return }
        nextTrim = now + .seconds(60)
        ServerLog.keepSmall(log)
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
        postmaster.requestShutdown()
        return [.replaced]
    }

    /// Sets the time of the next start: at once the first time, then with a pause that doubles each time.
    private mutating func pause(from now: ContinuousClock.Instant) {
        defer { failures += 1 }
        guard failures > 0 else { return nextStart = now }
        nextStart = now + min(Self.firstPause * (1 << min(failures - 1, 10)), Self.longestPause)
    }
}
