import Directory
import EventLoop
import Glibc
import Postgres
import Web

/// `pippin serve`.
struct ServeCommand {
    let settings: Settings

    func run() throws(CommandFailure) -> ExitStatus {
        Signals.claim([SIGTERM, SIGINT])
        let lock = try lock()
        defer { lock?.release() }
        let (installation, applied) = try Installation.open(settings)
        defer { installation.close() }
        for name in applied { Terminal.say("applied migration \(name)") }
        let house = try House(installation)
        defer { house.close() }
        let demo: Demo? = settings.isDemo ? try Demo.load(house) : nil
        let serving = Serving(
            settings: settings,
            context: house.context,
            hasher: PasswordHasher(pool: house.pool),
            pool: house.pool,
            watch: house.watch,
            log: house.log,
            demo: demo,
            isOpen: house.isOpenCheck
        )
        try house.open(serving)
        try announce(house, demo)
        _ = Signals.wait(for: [SIGTERM, SIGINT])
        Terminal.say("stopping")
        return .success
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
        if let demo { Terminal.say("Try it    \(demo.address)") }
    }
}
