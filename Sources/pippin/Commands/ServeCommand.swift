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
        guard let link = try WorkerLink.inherited() else { return try supervise() }
        do throws(CommandFailure) { return try WorkerCommand(settings: settings, link: link).run() } catch {
            throw CommandFailure(error.lines, status: error.isTransient ? .unavailable : error.status)
        }
    }

    private func supervise() throws(CommandFailure) -> ExitStatus {
        Signals.claim(Supervisor.signals)
        let use = ClusterUse()
        let start = try Self.startWatch(Supervisor.endings, after: Self.timeout, use)
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
        } catch { throw CommandFailure("the signals cannot be watched: \(error)") }
    }

    /// Takes the lock for one server per data directory; nil with an operator's database, which may have many.
    private func lock() throws(CommandFailure) -> FileLock? {
        guard case .own = settings.storage else { return nil }
        do { return try DataDirectory(settings.dataDirectory).lockForServing() } catch {
            throw CommandFailure(error.description)
        }
    }

    private func listen() throws(CommandFailure) -> [Int32] {
        let deadline = ContinuousClock.now + Self.portTimeout
        while true {
            do throws(ServerFailure) {
                return try Listener.open(settings.address, settings.port, count: Machine.cores)
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
        } catch { throw CommandFailure("the signals cannot be watched: \(error)") }
        Installation.leave(cluster, isPatient: isPatient)
        hurry.end()
    }
}

/// The worker of `pippin serve`: accepts requests on the sockets that its supervisor has opened.
struct WorkerCommand {
    private static let endings = [SIGTERM]

    let settings: Settings
    let link: WorkerLink

    func run() throws(CommandFailure) -> ExitStatus {
        Signals.claim(Self.endings + [WorkerLink.handOver])
        Descriptors.raiseLimit()
        // The supervisor uses the cluster as well, so the cluster outlives this process.
        let use = ClusterUse()
        let start = try ServeCommand.startWatch(Self.endings, after: ServeCommand.timeout, use)
        let user = try ServingUser.choose(settings)
        let (installation, applied) = try Installation.open(settings, use)
        defer { installation.close() }
        defer { if !installation.isPatient { link.report(.silence) } }
        for name in applied { Terminal.say("applied migration \(name)") }
        let process = try ServerProcess(installation, loops: link.sockets.count)
        defer { process.close() }
        defer { start.end() }
        let demo = try serve(process, as: user)
        start.end()
        settings.warnOfMissingProxy(process.log)
        link.report(.ready)
        if link.isFirst { announce(process, demo) }
        let signal = Signals.wait(for: Self.endings + [WorkerLink.handOver])
        if signal == WorkerLink.handOver { process.handOver() } else { Terminal.say("stopping") }
        return .success
    }

    private func serve(_ process: ServerProcess, as user: ServingUser?) throws(CommandFailure) -> Demo? {
        let demo: Demo? = settings.isDemo ? try Demo.load(process) : nil
        let simulation: Simulation? = settings.simulatesApple ? try Simulation.load(process) : nil
        if let demo, let simulation { try demo.connect(to: simulation, in: process) }
        try process.open(demo: demo, simulation: simulation, on: link.sockets) { () throws(CommandFailure) in
            guard let user else { return }
            try user.become(for: settings)
            try process.installation.verify()
        }
        return demo
    }

    /// Prints the addresses and the setup link once the database has returned it; the server does not wait for this.
    private func announce(_ process: ServerProcess, _ demo: Demo?) {
        let head = ["Console   \(settings.publicURL.text)/console"]
        var tail: [String] = []
        if let demo { tail.append("Sample    \(demo.address)") }
        if settings.simulatesApple { tail.append("Apple     \(Simulator.address(of: settings))") }
        let (worker, server, log, pools) = (process.loopServices[0], process.server, process.log, process.pools)
        Task(executorPreference: worker.loop) { [head, tail] in
            var lines = head
            // The server works without the link; `pippin setup-link` makes another.
            do throws(CommandFailure) {
                let link = try await SetupLinkCommand.link(worker, server)
                if let link { lines.append("Set-up    \(link)") }
            } catch { log(.warning, "setup_link.creation_failed", ("cause", error.lines.joined(separator: "; "))) }
            // On a pool's thread, because a slow reader of standard output must not block a loop.
            await log.attempt("start.announcement_failed") {
                try await pools.lookups.run { [lines] in for line in lines + tail { Terminal.say(line) } }
            }
        }
    }
}

extension Simulator {
    /// Address of the page that selects the Apple simulator's behavior.
    fileprivate static func address(of settings: Settings) -> String {
        String(settings.apple.authorizationURL.dropLast("/auth/authorize".utf8.count))
    }
}
