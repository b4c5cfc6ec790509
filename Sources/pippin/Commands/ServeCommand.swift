import Accounts
import Core
import Crypto
import EventLoop
import Federation
import Glibc
import HTTP
import Platform
import Postgres
import Registry
import SignIn
import Simulator

/// `pippin serve`: a supervisor, and the worker that it starts from the same executable.
struct ServeCommand {
    /// Time that a start may take to end by itself after a signal to end.
    static let timeout = Duration.seconds(1)
    /// Time to wait for a port, because a killed supervisor's worker dies a moment later and holds it until then.
    private static let portTimeout = Duration.seconds(2)

    let settings: Settings

    func run() throws(CommandFailure) -> ExitStatus {
        Terminal.isServing.set()
        guard let link = try WorkerLink.inherited() else { return try supervise() }
        do throws(CommandFailure) { return try WorkerCommand(settings: settings, link: link).run() } catch {
            throw CommandFailure(error.lines, status: error.isTransient ? .unavailable : error.status)
        }
    }

    private func supervise() throws(CommandFailure) -> ExitStatus {
        Signals.claim(Supervisor.signals)
        // Before a cluster is made or a database migrated.
        if let tls = try settings.serverOptions(loops: settings.loops).tls, !tls.isUsable {
            throw CommandFailure(ServerFailure.cannotStart(withTLS: true).description)
        }
        let use = ClusterUse()
        let start = try Self.startWatch(Supervisor.endings, after: Self.timeout, use)
        if !settings.migrates { try Installation.expectCluster(settings) }
        let folder = try folder()
        let lock = try lock(folder)
        defer { lock?.release() }
        let cluster = try Installation.startCluster(settings, use)
        let supervisor: Supervisor
        do throws(CommandFailure) {
            supervisor = Supervisor(
                try listen(), cluster, in: folder, watchdog: settings.watchdog, log: Log(threshold: settings.logLevel))
            start.end()
            let status = try supervisor.run()
            try leave(cluster, isPatient: supervisor.databaseAnswers, use)
            return status
        } catch {
            start.end()
            try leave(cluster, isPatient: true, use)
            throw error
        }
    }

    /// Ends the process if a start that another program blocks has not ended `timeout` after a signal to end.
    static func startWatch(_ endings: [Int32], after timeout: Duration, _ use: ClusterUse) throws(CommandFailure)
        -> StartWatch
    {
        do {
            return try StartWatch(for: endings, timeout: timeout) {
                Terminal.complain("stopped before it had started; what was begun in the database is rolled back")
                use.abandon()
                _exit(ExitStatus.refused.code)
            }
        } catch { throw CommandFailure("the signals cannot be watched: \(describing: error)") }
    }

    /// The data directory of the private cluster; nil with an operator's database, beside which it may be read-only.
    private func folder() throws(CommandFailure) -> DataDirectory? {
        guard case .own = settings.storage else { return nil }
        let folder: DataDirectory
        do { folder = try DataDirectory(settings.dataDirectory) } catch { throw CommandFailure(error.description) }
        guard folder.isWritable else { throw CommandFailure(.dataFolder, folder.path, settings) }
        return folder
    }

    /// Takes the lock for one server per data directory; nil with an operator's database, which may have many.
    private func lock(_ folder: DataDirectory?) throws(CommandFailure) -> FileLock? {
        do { return try folder?.lockForServing() } catch { throw CommandFailure(error.description) }
    }

    private func listen() throws(CommandFailure) -> [Int32] {
        let deadline = ContinuousClock.now + Self.portTimeout
        while true {
            do throws(ServerFailure) {
                return try Listener.open(settings.address, settings.port, count: settings.loops)
            } catch {
                guard case .portInUse = error, ContinuousClock.now < deadline, !Signals.arePending(Supervisor.endings)
                else { throw CommandFailure(error.description) }
                usleep(20_000)
            }
        }
    }

    /// Stops using the private PostgreSQL; a second signal ends the process without waiting for the database to stop.
    private func leave(_ cluster: PrivateCluster?, isPatient: Bool, _ use: ClusterUse) throws(CommandFailure) {
        guard let cluster else { return }
        let hurry: StartWatch
        do {
            hurry = try StartWatch(for: Supervisor.endings, timeout: .zero) {
                use.abandon()
                _exit(ExitStatus.refused.code)
            }
        } catch { throw CommandFailure("the signals cannot be watched: \(describing: error)") }
        Installation.leave(cluster, isPatient: isPatient)
        hurry.end()
    }
}
