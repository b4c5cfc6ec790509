/// `pippin migrate`.
struct MigrateCommand {
    let settings: Settings

    func run() throws(CommandFailure) -> ExitStatus {
        let (installation, applied) = try Installation.open(settings, .making)
        defer { installation.close() }
        if applied.isEmpty { Terminal.say("the database is up to date") }
        for name in applied { Terminal.say("applied \(name)") }
        return .success
    }
}
