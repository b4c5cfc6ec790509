import Crypto
import EventLoop
import Glibc
import Postgres

/// The database and the keys of an installation, opened for a command or for the server.
final class Installation {
    let settings: Settings
    let keyRing: KeyRing
    /// How libpq reaches the database; beside an operator's as the role that owns the schema.
    private(set) var conninfo: String
    /// Nil beside an operator's database.
    let cluster: PrivateCluster?
    /// Whether the private PostgreSQL may take its time to stop; not where it does not answer anyway.
    var isPatient = true
    /// How long it may take otherwise to stop, and then to end at once.
    private static let haste = Duration.milliseconds(500)

    private init(settings: Settings, keyRing: KeyRing, conninfo: String, cluster: PrivateCluster?) {
        self.settings = settings
        self.keyRing = keyRing
        self.conninfo = conninfo
        self.cluster = cluster
    }

    /// Starts or joins the private cluster, or takes the operator's database, and brings it to this version.
    ///
    /// - Parameter use: of the private cluster, for whoever may have to end it on another thread.
    /// - Returns: the installation and the names of the migrations that were applied.
    static func open(
        _ settings: Settings,
        _ use: ClusterUse = ClusterUse()
    ) throws(CommandFailure) -> (Installation, applied: [String]) {
        let given = try MasterKeyFile.read(settings)
        let (conninfo, cluster) = try reach(settings, use)
        do throws(CommandFailure) {
            let known = try MasterKeys.known(given, settings, at: conninfo)
            let applied = try migrate(conninfo, settings)
            let keyRing = if let known { known } else { try MasterKeys.settle(given, settings, at: conninfo) }
            let installation = Installation(
                settings: settings,
                keyRing: keyRing,
                conninfo: conninfo,
                cluster: cluster
            )
            try installation.giveUpRights()
            return (installation, applied)
        } catch {
            if let cluster { leave(cluster, isPatient: true) }
            throw error
        }
    }

    /// How the database is reached as its owner, and the cluster it lies in where that is ours.
    private static func reach(
        _ settings: Settings,
        _ use: ClusterUse
    ) throws(CommandFailure) -> (conninfo: String, cluster: PrivateCluster?) {
        if case .url(let url) = settings.storage {
            try makeDataDirectory(settings)
            return (url, nil)
        }
        guard let cluster = try startCluster(settings, use) else {
            preconditionFailure("a cluster of our own is started")
        }
        return (cluster.conninfo, cluster)
    }

    /// Leaves the cluster; the last one to leave stops it.
    func close() {
        if let cluster { Self.leave(cluster, isPatient: isPatient) }
    }

    /// Ends our use of a private cluster.
    static func leave(_ cluster: PrivateCluster, isPatient: Bool) {
        do {
            try cluster.stop(within: isPatient ? nil : haste)
        } catch {
            Terminal.complain("PostgreSQL did not stop: \(error)")
        }
    }

    private static func migrate(
        _ conninfo: String,
        _ settings: Settings
    ) throws(CommandFailure) -> [String] {
        do {
            let connection = try AdminConnection(to: conninfo)
            let migrator = try Migrator(folder: settings.resources.migrations)
            return try migrator.migrate(connection).map(\.name)
        } catch let failure as AdminFailure {
            throw CommandFailure(
                "the database cannot be reached: \(failure.description)",
                isTransient: true
            )
        } catch let failure as MigrationFailure {
            throw CommandFailure(failure.description)
        } catch {
            throw CommandFailure("the database cannot be prepared: \(error)")
        }
    }

    /// From here on the database is reached without the rights of its owner, and nowhere but behind the walls.
    private func giveUpRights() throws(CommandFailure) {
        let roles = [Worker.app(""), Worker.system("")].compactMap(\.role)
        do throws(ClusterFailure) {
            if let cluster { conninfo = try cluster.conninfo(asLogin: "pippin_server", of: roles) }
        } catch {
            throw CommandFailure(error.description, isTransient: true)
        }
        try verify()
    }

    /// Whether this process can reach the database, as whoever it is by now, and is behind the walls there.
    func verify() throws(CommandFailure) {
        do throws(AdminFailure) {
            for database in [Worker.app(conninfo), Worker.system(conninfo)] { try database.verify() }
        } catch {
            throw CommandFailure(
                "the database cannot be used: \(error.description)",
                isTransient: true
            )
        }
    }

    /// Starts or joins the private cluster; nil where the database is an operator's.
    static func startCluster(
        _ settings: Settings,
        _ use: ClusterUse
    ) throws(CommandFailure) -> PrivateCluster? {
        guard case .own = settings.storage else { return nil }
        var cluster = ClusterSettings()
        if let path = Environment.value("PATH") { cluster.searchPath = path }
        // A quarter of the memory, as PostgreSQL's documentation advises ("Resource Consumption"); whoever needs more
        // runs a PostgreSQL of their own.
        cluster.sharedBuffers = min(max((Machine.memory / 4) >> 20, 128), 2048)
        // While one process takes the other's place there are two of them, and commands come on top.
        cluster.maxConnections = max(cluster.maxConnections, 3 * Worker.connections(of: Machine.cores) + 20)
        cluster.isInterrupted = { Signals.arePending([SIGTERM, SIGINT]) }
        do {
            let directory = try DataDirectory(settings.dataDirectory)
            return try PrivateCluster.start(in: directory, cluster, use: use) { Terminal.say($0) }
        } catch {
            throw CommandFailure(error.description, isTransient: true)
        }
    }

    /// Beside an operator's database the directory holds the master key alone.
    private static func makeDataDirectory(_ settings: Settings) throws(CommandFailure) {
        guard settings.masterKeyFile == nil, Environment.value("PIPPIN_MASTER_KEY") == nil else { return }
        guard unsafe mkdir(settings.dataDirectory, 0o700) == 0 || errno == EEXIST else {
            throw CommandFailure("the data directory \(settings.dataDirectory) cannot be made")
        }
    }
}
