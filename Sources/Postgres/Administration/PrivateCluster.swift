import Synchronization

/// A private PostgreSQL cluster: the system's programs on Pippin's own data, reached over a Unix socket only.
///
/// Several processes may use one cluster. The first starts the server and the last one stops it; a server whose users
/// were all killed keeps running and serves the next one.
public final class PrivateCluster: Sendable {
    private let server: ClusterServer
    private let use: ClusterUse
    private let keeper: Mutex<ClusterKeeper>

    private init(_ server: ClusterServer, use: ClusterUse, keeper: consuming ClusterKeeper) {
        self.server = server
        self.use = use
        self.keeper = Mutex(keeper)
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
        // Two locks in order: processes that use the cluster prevent a stop, and one of them at a time starts it.
        guard lock.take(.shared, until: deadline) else { throw .busy(path: directory.path) }
        let start = try directory.lock(named: "start.lock")
        guard start.take(.exclusive, until: deadline) else { throw .busy(path: directory.path) }

        let location = try ClusterLocation.choose(for: directory, user, report: report)
        let server = ClusterServer(location: location, user: user, settings: settings)
        use.begin(of: location, by: lock)
        try server.initialise()
        let child = try server.start()
        try server.makeDatabase("pippin")
        start.release()
        let keeper = ClusterKeeper(of: server, child, startLock: start)
        return PrivateCluster(server, use: use, keeper: keeper)
    }

    /// Restarts the server if it has died, at once the first time and increasingly later if it keeps ending.
    ///
    /// Call it repeatedly while the cluster is in use, from a thread that may access files. It does not block.
    public func look() -> [ClusterEvent] { keeper.withLock { $0.look(at: .now) } }

    /// Ends this process's use of the cluster, and stops the server unless another process uses it.
    ///
    /// - Parameter limit: time limit for a fast shutdown, for a server that does not answer anyway; an immediate
    ///   shutdown then has the same limit again.
    public func stop(within limit: Duration? = nil) throws(ClusterFailure) {
        keeper.withLock { $0.leave() }
        guard use.isLast() else { return }
        defer { use.end() }
        keeper.withLock { $0.end(within: limit ?? server.settings.stopLimit) }
        try server.stop(within: limit)
    }
}
