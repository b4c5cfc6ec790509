import Accounts
import Core
import Crypto
import EventLoop
import Glibc
import Platform
import Postgres

/// Database and keys of an installation, opened for a command or for the server.
final class Installation {
    let settings: Settings
    let keyRing: KeyRing
    /// Connection string for libpq; with an operator's database, for the role that owns the schema.
    private(set) var conninfo: String
    /// Nil with an operator's database.
    let cluster: PrivateCluster?
    /// Whether the private PostgreSQL gets its usual time to stop; false if it does not answer anyway.
    var isPatient = true
    /// What this release asks of the schema.
    let schema: SchemaRequirement
    /// Whether it is a copy of another installation, by what the database says at the start.
    private(set) var isCopy = false
    /// Time limit otherwise for a fast shutdown, and again for an immediate one.
    private static let connectTimeout = Duration.milliseconds(500)
    /// How long the start of a server waits for an operator's database, unless that is starting itself.
    private static let databaseTimeout = Duration.seconds(30)
    /// Time after which an attempt to connect has had no answer (`AdminConnection`).
    private static let connectLimit = Duration.seconds(5)
    /// Interval between lines of a start that waits.
    static let lineInterval = Duration.seconds(10)

    private init(
        settings: Settings, keyRing: KeyRing, conninfo: String, cluster: PrivateCluster?, schema: SchemaRequirement
    ) {
        (self.settings, self.keyRing, self.conninfo) = (settings, keyRing, conninfo)
        (self.cluster, self.schema) = (cluster, schema)
    }

    /// Whether a command may begin an installation.
    enum Access {
        /// Makes whatever is missing: the private cluster, the master key, the schema.
        case making
        /// Makes what is missing but for cluster and schema, which must run with this release already.
        case serving
        /// Makes and migrates nothing.
        case existing
    }

    /// Starts or joins the private cluster, or uses the operator's database.
    ///
    /// - Parameter use: use of the private cluster, which another thread may have to end.
    /// - Returns: the installation and the names of the applied migrations.
    static func open(_ settings: Settings, _ access: Access, _ use: ClusterUse = ClusterUse()) throws(CommandFailure)
        -> (Installation, applied: [String])
    {
        if access != .making { try expectCluster(settings) }
        let given = try MasterKeyFile.read(settings)
        let (conninfo, cluster) = try reach(settings, access, use)
        do throws(CommandFailure) {
            try waitForDatabase(conninfo, settings, access)
            if access != .making { try expectSchema(conninfo, settings) }
            let known = try MasterKeys.known(given, settings, at: conninfo)
            if access == .existing, given == nil {
                throw CommandFailure("master_key: \(MasterKeyFile.place(settings)) is missing; pippin serve makes it")
            }
            let (applied, migrator) = try migrations(conninfo, settings, applied: access == .making)
            let keyRing = if let known { known } else { try MasterKeys.settle(given, settings, at: conninfo) }
            let installation = Installation(
                settings: settings, keyRing: keyRing, conninfo: conninfo, cluster: cluster, schema: migrator.requirement
            )
            installation.isCopy = try isCopy(conninfo)
            try installation.giveUpRights()
            return (installation, access == .making ? applied.map(\.name) : [])
        } catch {
            if let cluster { leave(cluster, isPatient: true) }
            throw error
        }
    }

    /// Connection string for the owner of the schema, and the private cluster if there is one.
    private static func reach(_ settings: Settings, _ access: Access, _ use: ClusterUse) throws(CommandFailure) -> (
        conninfo: String, cluster: PrivateCluster?
    ) {
        if case .url(let url) = settings.storage {
            if access != .existing { try makeDataDirectory(settings) }
            return (url, nil)
        }
        guard let cluster = try startCluster(settings, use) else {
            preconditionFailure("a cluster of our own is started")
        }
        return (cluster.conninfo, cluster)
    }

    /// Stops using the cluster; the last process to do so stops it.
    func close() { if let cluster { Self.leave(cluster, isPatient: isPatient) } }

    /// Ends this process's use of a private cluster.
    static func leave(_ cluster: PrivateCluster, isPatient: Bool) {
        do { try cluster.stop(within: isPatient ? nil : connectTimeout) } catch {
            Terminal.complain("PostgreSQL did not stop: \(describing: error)")
        }
    }

    static func expectCluster(_ settings: Settings) throws(CommandFailure) {
        guard case .own = settings.storage, !DataDirectory.holdsCluster(settings.dataDirectory) else { return }
        throw CommandFailure(
            "No installation here: \(settings.dataDirectory) has no PostgreSQL data. Give --data or --database.")
    }

    /// Waits until the database can be used: for a server's start, and as long as a database takes to recover.
    private static func waitForDatabase(_ conninfo: String, _ settings: Settings, _ access: Access)
        throws(CommandFailure)
    {
        let begin = ContinuousClock.now
        var line = begin + lineInterval
        while true {
            let (facts, detail) = look(conninfo)
            guard let code = facts.trouble else { return access != .existing ? try judge(facts, settings) : () }
            let isPatient = access != .existing && ContinuousClock.now - begin < databaseTimeout
            let waits: [ReadinessCode] = [.databaseUnreachable, .databaseSilent, .databaseReadOnly]
            guard code == .databaseStarting || isPatient && waits.contains(code) else {
                throw CommandFailure(code, detail, settings, isTransient: true)
            }
            if ContinuousClock.now >= line {
                Terminal.complain("waiting for the database: \(code.rawValue) (\(detail))")
                line += lineInterval
            }
            usleep(200_000)
        }
    }

    /// Facts about the database before a start, and what was said about its trouble.
    private static func look(_ conninfo: String) -> (facts: ReadinessFacts, detail: String) {
        var facts = ReadinessFacts()
        let begin = ContinuousClock.now
        do throws(AdminFailure) {
            let connection = try AdminConnection(to: conninfo)
            let fault = try connection.fault ?? ""
            facts.trouble = ReadinessCode(ofProblem: fault)
            facts.clockDifference = Timestamp.now() - Timestamp(microseconds: try connection.clock)
            return (facts, fault)
        } catch {
            facts.trouble = .databaseUnreachable
            if case .refused(let state, _, _) = error { facts.trouble = ReadinessCode(ofProblem: state + ":") }
            if ContinuousClock.now - begin >= connectLimit { facts.trouble = .databaseSilent }
            if AdminConnection.isStarting(conninfo) { facts.trouble = .databaseStarting }
            return (facts, "the database cannot be reached: \(error.description)")
        }
    }

    /// Ends a start under a condition of this machine, or warns of it.
    private static func judge(_ found: ReadinessFacts, _ settings: Settings) throws(CommandFailure) {
        var facts = found
        (facts.isStart, facts.freeDescriptors) = (true, Descriptors.limit - Descriptors.count)
        for (condition, weight) in ReadinessCondition.holding(facts) {
            let seconds = facts.clockDifference.components.seconds
            let failure = CommandFailure(
                condition.code, "clock \(seconds) s ahead, \(facts.freeDescriptors) descriptors free", settings)
            if weight == .unready { throw failure }
            failure.lines.forEach(Terminal.complain)
        }
    }

    private static func expectSchema(_ conninfo: String, _ settings: Settings) throws(CommandFailure) {
        let pending = try migrations(conninfo, settings, applied: false).pending
        guard let first = pending.first(where: \.isNeededNow) else { return }
        throw CommandFailure(
            "schema_older: the database lacks the migration \(first.name): run pippin migrate, or start the server"
                + " without --no-migrate")
    }

    /// The migrations that the database lacks; makes and changes nothing.
    ///
    /// - Parameter refusal: status where the database does not fit the migrations.
    static func pending(_ settings: Settings, refusal: ExitStatus) throws(CommandFailure) -> (
        pending: [Migration], migrator: Migrator
    ) {
        let (conninfo, cluster) = try reachExisting(settings)
        defer { if let cluster { leave(cluster, isPatient: true) } }
        return try migrations(conninfo, settings, applied: false, refusal: refusal)
    }

    /// The migrations that the database lacks, or lacked.
    private static func migrations(
        _ conninfo: String, _ settings: Settings, applied: Bool, refusal: ExitStatus = .refused
    ) throws(CommandFailure) -> (pending: [Migration], migrator: Migrator) {
        do {
            let connection = try AdminConnection(to: conninfo)
            let migrator = try Migrator(folder: settings.resources.migrations)
            let pending =
                try applied ? migrator.migrate(connection, waiting: Terminal.complain) : migrator.pending(connection)
            return (pending, migrator)
        } catch let failure as AdminFailure {
            throw CommandFailure("the database cannot be reached: \(failure.description)", isTransient: true)
        } catch let failure as MigrationFailure {
            switch failure {
            case .newer: throw CommandFailure(.schemaNewer, failure.description, settings, status: refusal)
            case .otherShape: throw CommandFailure(.schemaShape, failure.description, settings, status: refusal)
            case .database, .unreadable, .misnamed, .sameNumber, .notAnIndex: throw CommandFailure(failure.description)
            default: throw CommandFailure(failure.description, status: refusal)
            }
        } catch { throw CommandFailure("the database cannot be prepared: \(describing: error)") }
    }

    private static func isCopy(_ conninfo: String) throws(CommandFailure) -> Bool {
        do throws(AdminFailure) { return try BackupStore(try AdminConnection(to: conninfo)).isCopy() } catch {
            throw CommandFailure("the database cannot be reached: \(error.description)", isTransient: true)
        }
    }

    /// Reconnects without the rights of the schema's owner, so that row-level security applies from here on.
    private func giveUpRights() throws(CommandFailure) {
        let roles = [Databases("").app, Databases("").system].compactMap(\.role)
        do throws(ClusterFailure) {
            if let cluster { conninfo = try cluster.conninfo(asLogin: "pippin_server", of: roles) }
        } catch { throw CommandFailure(error.description, isTransient: true) }
        try verify()
    }

    /// Checks that the current user of this process reaches the database and that row-level security applies.
    func verify() throws(CommandFailure) {
        do throws(AdminFailure) {
            for database in [Databases(conninfo).app, Databases(conninfo).system] { try database.verify() }
        } catch {
            let code = ReadinessCode(ofProblem: error.description) ?? .databaseUnreachable
            throw CommandFailure(code, error.description, settings, isTransient: true)
        }
    }

    /// Starts or joins the private cluster; nil with an operator's database.
    static func startCluster(_ settings: Settings, _ use: ClusterUse) throws(CommandFailure) -> PrivateCluster? {
        guard case .own = settings.storage else { return nil }
        var cluster = ClusterSettings()
        if let path = Environment.value("PATH") { cluster.searchPath = path }
        // A quarter of the memory, as PostgreSQL's documentation advises ("Resource Consumption"); larger installations
        // use an operator's database.
        cluster.sharedBuffers = min(max((Machine.memory / 4) >> 20, 128), 2048)
        // A handover has two processes at a time, and commands connect as well.
        let needed = settings.databaseConnections ?? Databases.connections(of: settings.loops)
        cluster.maxConnections = max(cluster.maxConnections, 3 * needed + 20)
        do {
            let directory = try DataDirectory(settings.dataDirectory)
            return try PrivateCluster.start(in: directory, cluster, use: use) { Terminal.say($0) }
        } catch { throw CommandFailure(error.description, isTransient: true) }
    }

    /// Creates the data directory, which with an operator's database contains only the master key.
    private static func makeDataDirectory(_ settings: Settings) throws(CommandFailure) {
        guard settings.masterKeyFile == nil, Environment.value("PIPPIN_MASTER_KEY") == nil else { return }
        guard unsafe mkdir(settings.dataDirectory, 0o700) == 0 || errno == EEXIST else {
            throw CommandFailure("the data directory \(settings.dataDirectory) cannot be made")
        }
    }
}

extension Installation {
    /// Starts or joins the private cluster, or uses the operator's database, as the owner of the schema; makes nothing,
    /// and needs no master key.
    static func reachExisting(_ settings: Settings) throws(CommandFailure) -> (
        conninfo: String, cluster: PrivateCluster?
    ) {
        try expectCluster(settings)
        let (conninfo, cluster) = try reach(settings, .existing, ClusterUse())
        do throws(CommandFailure) { try waitForDatabase(conninfo, settings, .existing) } catch {
            if let cluster { leave(cluster, isPatient: true) }
            throw error
        }
        return (conninfo, cluster)
    }
}
