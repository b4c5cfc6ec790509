import Synchronization

/// PostgreSQL of our own: the system's programs on data of ours, reached over a Unix socket alone.
///
/// Several processes may use one cluster. The first starts the server and the last one stops it; a server whose
/// users were all killed runs on and serves the next.
public final class PrivateCluster: Sendable {
    private let server: ClusterServer
    private let use: ClusterUse
    private let keeper: Mutex<ClusterKeeper>

    private init(_ server: ClusterServer, use: ClusterUse, keeper: consuming ClusterKeeper) {
        self.server = server
        self.use = use
        self.keeper = Mutex(keeper)
    }

    /// How to reach the database `pippin`, as libpq and its programs take it.
    public var conninfo: String { conninfo(database: "pippin") }

    /// How to reach that database with the rights of `roles` and no others, which exist in it.
    ///
    /// The account is made where it is missing.
    public func conninfo(asLogin name: String, of roles: [String]) throws(ClusterFailure) -> String {
        try server.makeLogin(name, of: roles)
        return server.conninfo("pippin", as: name)
    }

    /// How to reach another database of the cluster.
    public func conninfo(database: String) -> String { server.conninfo(database) }

    /// The file with the server's messages.
    public var log: String { server.location.log }

    /// Uses the cluster of a data folder, set up and started where needed.
    ///
    /// Returns when the server accepts connections and has the database `pippin`. `report` takes lines for the
    /// operator, and `use` may end on another thread meanwhile.
    public static func start(
        in directory: DataDirectory,
        _ settings: ClusterSettings = ClusterSettings(),
        use: ClusterUse = ClusterUse(),
        report: (String) -> Void
    ) throws(ClusterFailure) -> PrivateCluster {
        let deadline = ContinuousClock.now + settings.startLimit + settings.stopLimit
        let user = try DatabaseUser.choose()
        let lock = try directory.lock(named: "cluster.lock")
        // In turn: those who use the cluster keep it from being stopped, and one of them at a time starts it.
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

    /// Starts the server again where it has died, at once the first time and ever later where it does not stay up.
    ///
    /// To be called again and again by whoever keeps the cluster running, from a thread that may touch files. It waits
    /// for nothing.
    public func look() -> [ClusterEvent] {
        keeper.withLock { $0.look(at: .now) }
    }

    /// Ends our use of the cluster, and the server with it unless another process uses it.
    ///
    /// - Parameter limit: how long it may take where the server does not answer anyway; then it is told to end at once,
    ///   for which it has that long again.
    public func stop(within limit: Duration? = nil) throws(ClusterFailure) {
        keeper.withLock { $0.leave() }
        guard use.isLast() else { return }
        defer { use.end() }
        keeper.withLock { $0.end(within: limit ?? server.settings.stopLimit) }
        try server.stop(within: limit)
    }
}
