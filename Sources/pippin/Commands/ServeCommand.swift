import EventLoop
import Glibc
import HTTP
import Log
import Postgres

/// `pippin serve`: a process that supervises, and the worker that it starts, which is this program again.
struct ServeCommand {
    /// How long a start may take to end by itself.
    static let patience = Duration.seconds(1)
    /// How long a port may be taken by what a killed predecessor leaves: its worker dies with it, a moment later.
    private static let portPatience = Duration.seconds(2)

    let settings: Settings

    func run() throws(CommandFailure) -> ExitStatus {
        guard let link = try WorkerLink.inherited() else { return try supervise() }
        do throws(CommandFailure) {
            return try WorkerCommand(settings: settings, link: link).run()
        } catch {
            throw CommandFailure(error.lines, status: error.isTransient ? .unavailable : error.status)
        }
    }

    private func supervise() throws(CommandFailure) -> ExitStatus {
        Signals.claim(Supervisor.signals)
        let use = ClusterUse()
        let start = try Self.startWatch(Supervisor.endings, after: Self.patience, use)
        let lock = try lock()
        defer { lock?.release() }
        let cluster = try Installation.startCluster(settings, use)
        let supervisor: Supervisor
        do throws(CommandFailure) {
            supervisor = Supervisor(try listen(), cluster, log: Log(threshold: settings.logLevel))
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

    /// Whoever has told the process to end does not wait for a start that another program holds up.
    static func startWatch(
        _ endings: [Int32],
        after patience: Duration,
        _ use: ClusterUse
    ) throws(CommandFailure) -> StartWatch {
        do {
            return try StartWatch(for: endings, patience: patience) {
                Terminal.complain(
                    "stopped before it had started; what was begun in the database is rolled back"
                )
                use.abandon()
                _exit(ExitStatus.refused.code)
            }
        } catch {
            throw CommandFailure("the signals cannot be watched: \(error)")
        }
    }

    /// One server per data directory; beside an operator's database there may be many.
    private func lock() throws(CommandFailure) -> ServingLock? {
        guard case .own = settings.storage else { return nil }
        do {
            return try DataDirectory(settings.dataDirectory).lockForServing()
        } catch {
            throw CommandFailure(error.description)
        }
    }

    private func listen() throws(CommandFailure) -> [Int32] {
        let deadline = ContinuousClock.now + Self.portPatience
        while true {
            do throws(ServerFailure) {
                return try Listener.open(settings.address, settings.port, count: Machine.cores)
            } catch {
                guard case .portInUse = error, ContinuousClock.now < deadline,
                    !Signals.arePending(Supervisor.endings)
                else { throw CommandFailure(error.description) }
                usleep(20_000)
            }
        }
    }

    /// The end of the private PostgreSQL; a second signal does not wait for it.
    private func leave(
        _ cluster: PrivateCluster?,
        isPatient: Bool,
        _ use: ClusterUse
    ) throws(CommandFailure) {
        guard let cluster else { return }
        let hurry: StartWatch
        do {
            hurry = try StartWatch(for: Supervisor.endings, patience: .zero) {
                use.abandon()
                _exit(ExitStatus.refused.code)
            }
        } catch {
            throw CommandFailure("the signals cannot be watched: \(error)")
        }
        Installation.leave(cluster, isPatient: isPatient)
        hurry.end()
    }
}
