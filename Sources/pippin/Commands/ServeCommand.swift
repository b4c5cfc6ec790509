import Directory
import EventLoop
import Glibc
import Postgres
import Providers
import Simulator
import Web

/// `pippin serve`.
struct ServeCommand {
    private static let endings = [SIGTERM, SIGINT]
    /// How long a start may take to end by itself.
    private static let patience = Duration.seconds(1)

    let settings: Settings

    func run() throws(CommandFailure) -> ExitStatus {
        Signals.claim(Self.endings)
        let use = ClusterUse()
        let start = try startWatch(use)
        let lock = try lock()
        defer { lock?.release() }
        let (installation, applied) = try Installation.open(settings, use)
        defer { installation.close() }
        for name in applied { Terminal.say("applied migration \(name)") }
        let house = try House(installation)
        defer { house.close() }
        defer { start.end() }
        let demo: Demo? = settings.isDemo ? try Demo.load(house) : nil
        let simulation: Simulation? = settings.simulatesApple ? try Simulation.load(house) : nil
        if let demo, let simulation { try demo.connect(to: simulation, in: house) }
        let serving = Serving(
            settings: settings,
            context: house.context,
            hasher: PasswordHasher(pool: house.pool),
            pool: house.pool,
            watch: house.watch,
            log: house.log,
            demo: demo,
            script: simulation?.script,
            standIn: simulation?.standIn(in: house),
            isOpen: house.isOpenCheck
        )
        try house.open(serving)
        try announce(house, demo)
        start.end()
        _ = Signals.wait(for: Self.endings)
        Terminal.say("stopping")
        return .success
    }

    /// A database that does not answer may hold up the start for ever, and a migration for long.
    private func startWatch(_ use: ClusterUse) throws(CommandFailure) -> StartWatch {
        do {
            return try StartWatch(for: Self.endings, patience: Self.patience) {
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

    /// The lines a person needs.
    private func announce(_ house: House, _ demo: Demo?) throws(CommandFailure) {
        Terminal.say("Console   \(settings.publicURL.text)/console")
        if let link = try SetupLinkCommand.link(house) { Terminal.say("Set-up    \(link)") }
        if let demo { Terminal.say("Sample    \(demo.address)") }
        if settings.simulatesApple { Terminal.say("Apple     \(Simulator.address(of: settings))") }
    }
}

extension Simulator {
    /// Where a person chooses what the stand-in does.
    fileprivate static func address(of settings: Settings) -> String {
        String(settings.apple.authorizationURL.dropLast("/auth/authorize".utf8.count))
    }
}
