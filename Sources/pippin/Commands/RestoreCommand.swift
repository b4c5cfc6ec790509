import Core
import EventLoop
import Glibc
import OAuth
import Platform
import Postgres

/// `pippin restore`.
struct RestoreCommand {
    /// What `pippin restore` is told beside the settings.
    struct Arguments: Sendable {
        let folder: String
        var endsTokens = false
        /// For a second installation beside the first.
        var isCopy = false
        /// In place of the first, under another URL.
        var isMoved = false
    }

    let settings: Settings
    let arguments: Arguments

    static func parse(_ options: inout Options) throws(CommandFailure) -> Command {
        if options.isGiven("end-copy") { return .endCopy(try options.settings(operands: 0).settings) }
        let flags = (options.isGiven("end-tokens"), options.isGiven("as-copy"), options.isGiven("moved"))
        if flags.1, flags.2 { options.complain("--as-copy and --moved exclude one another") }
        let (settings, operands) = try options.settings(operands: 1, called: "FOLDER")
        return .restore(
            settings, Arguments(folder: operands[0], endsTokens: flags.0, isCopy: flags.1, isMoved: flags.2))
    }

    /// Lets a copy send mail and notifications and call providers from now on.
    static func endCopy(_ settings: Settings) throws(CommandFailure) -> ExitStatus {
        let (conninfo, cluster) = try Installation.reachExisting(settings)
        defer { if let cluster { Installation.leave(cluster, isPatient: true) } }
        do {
            let wasCopy = try BackupStore(try AdminConnection(to: conninfo)).endCopy()
            Terminal.say(wasCopy ? "It is a copy no longer: mail, notifications and calls leave it." : "It is no copy.")
        } catch { throw CommandFailure("the database cannot be changed", error) }
        return .success
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let backup = BackupFolder(arguments.folder)
        let manifest = try backup.verify()
        try expectURL(manifest)
        try expectMigrations(manifest)
        try expectKeys(manifest)
        let programs = try DumpPrograms.find(atLeast: manifest.programs)
        if case .url(let conninfo) = settings.storage {
            try load(backup, manifest, programs, to: conninfo)
            do { return try finish(manifest, settings) } catch {
                throw CommandFailure(error.lines + ["The database is restored."], status: error.status)
            }
        }
        return try makeCluster(try backup.size(), manifest) { conninfo throws(CommandFailure) in
            try load(backup, manifest, programs, to: conninfo)
        }
    }

    /// Two installations of one URL, or one that calls Apple for the people of another, are never made unasked.
    private func expectURL(_ manifest: BackupManifest) throws(CommandFailure) {
        guard let url = manifest.publicURL, !arguments.isCopy, !arguments.isMoved, url != settings.publicURL.text else {
            return
        }
        throw CommandFailure(
            "The backup is of \(url). Give --public-url \(url) where this takes its place, --moved where it does so under"
                + " another URL, or --as-copy for a second installation beside it.")
    }

    private func expectMigrations(_ manifest: BackupManifest) throws(CommandFailure) {
        let known: [Migration]
        do { known = try Migrator(folder: settings.resources.migrations).migrations } catch {
            throw CommandFailure(error.description)
        }
        let other = manifest.migrations.first { row in
            !known.contains { ($0.number, $0.name) == (row.number, row.name) }
        }
        guard let other else { return }
        throw CommandFailure(.schemaNewer, "the backup has the migration \(other.name) of \(manifest.pippin)", settings)
    }

    private func expectKeys(_ manifest: BackupManifest) throws(CommandFailure) {
        let (ring, place) = (try MasterKeyFile.read(settings), MasterKeyFile.place(settings))
        guard let ring else {
            throw CommandFailure("master_key: \(place) is missing. Put the master key of the backup there.")
        }
        let proofs = manifest.keys.compactMap { key in Hex.decode(key.value).map { (id: key.key, proof: $0) } }
        try MasterKeys.expect(proofs, in: ring, from: place)
    }

    /// Restores the dump in one transaction; a database with a table is refused.
    private func load(_ backup: BackupFolder, _ manifest: BackupManifest, _ programs: DumpPrograms, to conninfo: String)
        throws(CommandFailure)
    {
        do {
            let store = BackupStore(try AdminConnection(to: conninfo))
            try store.expectNoPooler()
            let version = try store.version()
            guard version >= manifest.postgres else {
                throw CommandFailure("The backup is of PostgreSQL \(manifest.postgres), and this is \(version).")
            }
            if let table = try store.anyTable() {
                throw CommandFailure("The database is not empty: it has the table \(table). Restore into an empty one.")
            }
            try programs.restore(
                backup.dump, without: BackupStore.leftOut, in: BackupStore.script(manifest, for: arguments),
                to: conninfo, tick: Terminal.progress("restore"))
        } catch { throw CommandFailure("nothing was restored", error) }
    }

    /// Migrates the restored database, verifies its audit logs, and says what is good again.
    private func finish(_ manifest: BackupManifest, _ settings: Settings) throws(CommandFailure) -> ExitStatus {
        let (installation, applied) = try Installation.open(settings, .making)
        defer { installation.close() }
        for name in applied { Terminal.say("applied \(name)") }
        if arguments.isCopy { try refuseOlderReleases(settings) }
        let heads = manifest.heads.compactMap { team, head in
            TeamID(rawValue: team).flatMap { id in AuditCommand.KnownHead(head).map { (id, $0) } }
        }
        let audit = AuditCommand(
            settings: settings, task: .verify(team: nil, heads: Dictionary(heads) { first, _ in first }))
        var isCopy = false
        let status = try ServerProcess.run(settings) { process throws(CommandFailure) in
            isCopy = process.installation.isCopy
            if arguments.endsTokens { try noteTokens(process) }
            return try audit.run(in: process)
        }
        let (sessions, tokens) = (manifest.rows["sessions"] ?? 0, manifest.rows["refresh_tokens"] ?? 0)
        Terminal.say("restored the \(manifest.summary)")
        if isCopy {
            let lack = arguments.isCopy ? ", without sessions and jobs" : ""
            Terminal.say("This is a copy\(lack). No mail, notification or call to Apple leaves it.")
        }
        if !arguments.isCopy { Terminal.say("\(sessions) sessions are good again, also those that ended since then.") }
        Terminal.say(
            arguments.endsTokens
                ? "All tokens of then have ended."
                : "\(tokens) refresh tokens are good again, also those revoked since then; --end-tokens ends them.")
        if status != .success { Terminal.complain("the database is restored, but an audit log is not whole") }
        return status
    }

    private func refuseOlderReleases(_ settings: Settings) throws(CommandFailure) {
        let (conninfo, cluster) = try Installation.reachExisting(settings)
        defer { if let cluster { Installation.leave(cluster, isPatient: true) } }
        do { try BackupStore(try AdminConnection(to: conninfo)).refuseOlderReleases() } catch {
            throw CommandFailure("the copy cannot be marked", error)
        }
    }

    /// Records in each audit log that the tokens have ended, which they have since the restore, by ending them once more.
    private func noteTokens(_ process: ServerProcess) throws(CommandFailure) {
        let (worker, now) = (process.loopServices[0], process.server.clock())
        let store = NotBeforeStore(worker.database)
        do {
            try worker.loop.wait {
                for team in try await AuditBacklogStore(SystemDatabase(worker.system)).teams() {
                    try await store.set(
                        .team, to: now, reason: "restore", in: team, by: .command("restore"), from: .local)
                }
            }
        } catch { throw CommandFailure("the end of the tokens cannot be recorded", error) }
    }
}

// A private cluster.
extension RestoreCommand {
    /// Makes a cluster beside the place for it, and moves it there once all is done.
    private func makeCluster(_ size: Int, _ manifest: BackupManifest, _ load: (String) throws(CommandFailure) -> Void)
        throws(CommandFailure) -> ExitStatus
    {
        let data = settings.dataDirectory
        guard !DataDirectory.holdsCluster(data) else {
            throw CommandFailure("\(data) has a database already. Give another --data.")
        }
        try expectRoom(for: 3 * size)
        do {
            let draft = try ClusterDraft(in: try DataDirectory(data))
            do {
                var inner = settings
                inner.dataDirectory = draft.directory.path
                // Only a file has a place that has to be named.
                if MasterKeyFile.place(settings) != "PIPPIN_MASTER_KEY" {
                    inner.masterKeyFile = MasterKeyFile.place(settings)
                }
                let status = try fill(inner, manifest, load)
                try draft.finish()
                try draft.discard()
                return status
            } catch {
                try draft.discard()
                throw error
            }
        } catch { throw CommandFailure("nothing was restored", error) }
    }

    private func fill(_ settings: Settings, _ manifest: BackupManifest, _ load: (String) throws(CommandFailure) -> Void)
        throws(CommandFailure) -> ExitStatus
    {
        guard let cluster = try Installation.startCluster(settings, ClusterUse()) else {
            preconditionFailure("a cluster of our own is started")
        }
        defer { Installation.leave(cluster, isPatient: true) }
        try load(cluster.conninfo)
        return try finish(manifest, settings)
    }

    /// A dump is compressed, and has no indexes.
    private func expectRoom(for needed: Int) throws(CommandFailure) {
        var facts = statvfs()
        let data = settings.dataDirectory
        guard unsafe statvfs(data, &facts) == 0 || statvfs(data + "/..", &facts) == 0 || statvfs(".", &facts) == 0
        else { return }
        let free = Int(clamping: UInt64(facts.f_bavail)) * Int(clamping: UInt64(facts.f_frsize))
        guard free < needed else { return }
        throw CommandFailure("\(data) has room for \(free >> 20) MiB, and needs \(needed >> 20) MiB.")
    }
}
