import Crypto
import EventLoop
import Glibc
import Postgres

/// The database and the keys of an installation, opened for a command or for the server.
final class Installation {
    let settings: Settings
    let keyRing: KeyRing
    /// How libpq reaches the database, as the role that owns the schema.
    let conninfo: String
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
        let installation: Installation
        switch settings.storage {
        case .url(let url):
            try makeDataDirectory(settings)
            let keyRing = try MasterKeyFile.keyRing(settings)
            installation = Installation(settings: settings, keyRing: keyRing, conninfo: url, cluster: nil)
        case .own:
            let cluster = try startCluster(settings, use)
            do throws(CommandFailure) {
                let keyRing = try MasterKeyFile.keyRing(settings)
                installation = Installation(
                    settings: settings,
                    keyRing: keyRing,
                    conninfo: cluster.conninfo,
                    cluster: cluster
                )
            } catch {
                leave(cluster)
                throw error
            }
        }
        do throws(CommandFailure) {
            return (installation, try installation.migrate())
        } catch {
            installation.close()
            throw error
        }
    }

    /// Leaves the cluster; the last one to leave stops it.
    func close() {
        if let cluster { Self.leave(cluster, within: isPatient ? nil : Self.haste) }
    }

    private static func leave(_ cluster: PrivateCluster, within limit: Duration? = nil) {
        do {
            try cluster.stop(within: limit)
        } catch {
            Terminal.complain("PostgreSQL did not stop: \(error)")
        }
    }

    private func migrate() throws(CommandFailure) -> [String] {
        do {
            let connection = try AdminConnection(to: conninfo)
            let migrator = try Migrator(folder: settings.resources.migrations)
            return try migrator.migrate(connection).map(\.name)
        } catch let failure as AdminFailure {
            throw CommandFailure("the database cannot be reached: \(failure.description)")
        } catch let failure as MigrationFailure {
            throw CommandFailure(failure.description)
        } catch {
            throw CommandFailure("the database cannot be prepared: \(error)")
        }
    }

    private static func startCluster(
        _ settings: Settings,
        _ use: ClusterUse
    ) throws(CommandFailure) -> PrivateCluster {
        var cluster = ClusterSettings()
        if let path = Environment.value("PATH") { cluster.searchPath = path }
        // A quarter of the memory, as PostgreSQL's documentation advises ("Resource Consumption"); whoever needs more
        // runs a PostgreSQL of their own.
        cluster.sharedBuffers = min(max((Machine.memory / 4) >> 20, 128), 2048)
        cluster.isInterrupted = { Signals.arePending([SIGTERM, SIGINT]) }
        do {
            let directory = try DataDirectory(settings.dataDirectory)
            return try PrivateCluster.start(in: directory, cluster, use: use) { Terminal.say($0) }
        } catch {
            throw CommandFailure(error.description)
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
