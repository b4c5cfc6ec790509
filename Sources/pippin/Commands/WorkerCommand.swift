import EventLoop
import Glibc
import Log
import Postgres
import Providers
import Simulator
import Web

/// The worker of `pippin serve`: takes requests on the sockets that its supervisor has opened.
struct WorkerCommand {
    private static let endings = [SIGTERM]

    let settings: Settings
    let link: WorkerLink

    func run() throws(CommandFailure) -> ExitStatus {
        Signals.claim(Self.endings + [WorkerLink.handOver])
        Descriptors.raiseLimit()
        // The supervisor uses the cluster as well, so that it outlives this process.
        let use = ClusterUse()
        let start = try ServeCommand.startWatch(Self.endings, after: ServeCommand.patience, use)
        let user = try ServingUser.choose(settings)
        let (installation, applied) = try Installation.open(settings, use)
        defer { installation.close() }
        defer { if !installation.isPatient { link.tell(.silence) } }
        for name in applied { Terminal.say("applied migration \(name)") }
        let house = try House(installation, loops: link.sockets.count)
        defer { house.close() }
        defer { start.end() }
        let demo = try serve(house, as: user)
        start.end()
        settings.warnOfMissingProxy(house.log)
        link.tell(.ready)
        if link.isFirst { announce(house, demo) }
        let signal = Signals.wait(for: Self.endings + [WorkerLink.handOver])
        if signal == WorkerLink.handOver { house.handOver() } else { Terminal.say("stopping") }
        return .success
    }

    private func serve(_ house: House, as user: ServingUser?) throws(CommandFailure) -> Demo? {
        let demo: Demo? = settings.isDemo ? try Demo.load(house) : nil
        let simulation: Simulation? = settings.simulatesApple ? try Simulation.load(house) : nil
        if let demo, let simulation { try demo.connect(to: simulation, in: house) }
        let serving = Serving(house, demo: demo, simulation: simulation, page: link.page)
        try house.open(serving, on: link.sockets) { () throws(CommandFailure) in
            guard let user else { return }
            try user.become(for: settings)
            try house.installation.verify()
        }
        return demo
    }

    /// Prints the lines a person needs, as soon as the database has given the set-up link; nothing waits for it.
    private func announce(_ house: House, _ demo: Demo?) {
        let head = ["Console   \(settings.publicURL.text)/console"]
        var tail: [String] = []
        if let demo { tail.append("Sample    \(demo.address)") }
        if settings.simulatesApple { tail.append("Apple     \(Simulator.address(of: settings))") }
        let (worker, context, log, pools) = (house.workers[0], house.context, house.log, house.pools)
        Task(executorPreference: worker.loop) { [head, tail] in
            var lines = head
            // The server serves without the link; `pippin setup-link` makes another.
            do throws(CommandFailure) {
                let link = try await SetupLinkCommand.link(worker, context)
                if let link { lines.append("Set-up    \(link)") }
            } catch {
                log(.warning, "setup-link.not-made", ("cause", error.lines.joined(separator: "; ")))
            }
            // The reader of standard output may be slow, and no loop waits for it.
            await log.attempt("start.not-announced") {
                try await pools.lookups.run { [lines] in for line in lines + tail { Terminal.say(line) } }
            }
        }
    }
}

extension Simulator {
    /// Where a person chooses what the stand-in does.
    fileprivate static func address(of settings: Settings) -> String {
        String(settings.apple.authorizationURL.dropLast("/auth/authorize".utf8.count))
    }
}
