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

/// The worker of `pippin serve`: accepts requests on the sockets that its supervisor has opened.
struct WorkerCommand {
    /// The supervisor sends SIGINT for an end without draining.
    private static let endings = [SIGTERM, SIGINT]

    let settings: Settings
    let link: WorkerLink

    func run() throws(CommandFailure) -> ExitStatus {
        Signals.claim(Self.endings + [WorkerLink.handOver])
        Descriptors.raiseLimit()
        // The supervisor uses the cluster as well, so the cluster outlives this process.
        let use = ClusterUse()
        let start = try ServeCommand.startWatch(Self.endings, after: ServeCommand.timeout, use)
        let user = try ServingUser.choose(settings)
        let (installation, applied) = try Installation.open(settings, settings.migrates ? .making : .serving, use)
        defer { installation.close() }
        defer { if !installation.isPatient { link.report(.silence) } }
        for name in applied { Terminal.say("applied migration \(name)") }
        let process = try ServerProcess(installation, loops: link.sockets.count)
        process.folder = { WorkerLink.isFolderWritable() }
        defer { process.close() }
        defer { start.end() }
        let demo = try serve(process, as: user)
        start.end()
        settings.warnOfMissingProxy(process.log)
        // Of a loop that hangs from the first, too, the supervisor counts the beats that it misses.
        for number in process.loops.indices { link.beat(number) }
        link.report(.ready)
        for (number, loop) in process.loops.enumerated() {
            Task(executorPreference: loop) {
                while true {
                    link.beat(number)
                    await loop.sleep(for: Supervisor.beat)
                }
            }
        }
        if link.isFirst { announce(process, demo) }
        let signal = Signals.wait(for: Self.endings + [WorkerLink.handOver])
        if signal == SIGTERM, settings.drain > .zero {
            process.drain()
            // Further SIGTERMs stay blocked: a service manager may send one beside the supervisor's.
            sleep(UInt32(settings.drain.components.seconds))
        }
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
