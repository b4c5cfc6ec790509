import Postgres

/// `pippin migrate`.
struct MigrateCommand {
    let settings: Settings
    /// Whether it only says what it would do.
    let isCheck: Bool

    func run() throws(CommandFailure) -> ExitStatus {
        if isCheck { return try check() }
        let (installation, applied) = try Installation.open(settings, .making)
        defer { installation.close() }
        if applied.isEmpty { Terminal.say("the database is up to date") }
        for name in applied { Terminal.say("applied \(name)") }
        return .success
    }

    private func check() throws(CommandFailure) -> ExitStatus {
        let (pending, migrator) = try Installation.pending(settings, refusal: .incompatible)
        let all = migrator.migrations
        guard let first = pending.first, let runsWith = all.map(\.runsWith).max() else {
            Terminal.say("the database is up to date")
            return .success
        }
        for migration in pending { Terminal.say("would apply \(migration.name)") }
        let isNeeded = pending.contains(where: \.isNeededNow)
        Terminal.say("this release can\(isNeeded ? "not" : "") serve before that")
        if let last = all.last(where: { $0.number < first.number }) {
            Terminal.say(
                "the release before it, with \(last.name), can\(last.number < runsWith ? "not" : "") serve after that")
        }
        if let oldest = all.first(where: { $0.number >= runsWith }) {
            Terminal.say("releases with \(oldest.name) and later ones can serve after that")
        }
        return .wouldChange
    }
}
