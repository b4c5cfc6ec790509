import Core
import Platform
import Postgres

/// `pippin backup`.
struct BackupCommand {
    let settings: Settings
    let folder: String

    /// Parses the arguments after `pippin backup`; a check needs no settings of an installation.
    static func parse(_ options: inout Options) throws(CommandFailure) -> Command {
        guard options.isGiven("check") else {
            let (settings, operands) = try options.settings(operands: 1, called: "FOLDER")
            return .backup(settings, folder: operands[0])
        }
        let text = options.argument("max-age")
        let hours = text.flatMap { $0.hasSuffix("h") ? Int($0.dropLast()) : nil }
        if let text, hours.map({ (1...100_000).contains($0) }) != true {
            options.complain("--max-age is a number of hours such as 26h, not \(text)")
        }
        let operands = try options.operands(1, called: "FOLDER")
        return .checkBackup(folder: operands[0], maxAge: hours.map { .seconds($0 * 3600) })
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let (conninfo, cluster) = try Installation.reachExisting(settings)
        defer { if let cluster { Installation.leave(cluster, isPatient: true) } }
        let manifest = try BackupFolder(folder).make { folder throws(CommandFailure) in
            do { return try dump(conninfo, to: folder.dump) } catch { throw CommandFailure("the backup failed", error) }
        }
        Terminal.say("\(folder): \(manifest.summary)")
        return .success
    }

    /// Dumps a database into a new folder.
    private func dump(_ conninfo: String, to folder: String) throws -> BackupManifest {
        let store = BackupStore(try AdminConnection(to: conninfo))
        try store.expectNoPooler()
        guard try store.isPippins else { throw CommandFailure("The database has no tables of Pippin.") }
        guard let isHeld = try store.isHeld() else {
            throw CommandFailure("This role does not see all rows. Connect as the owner of Pippin's tables.")
        }
        if let fault = try store.shapeFault() { throw CommandFailure(.schemaShape, fault, settings) }
        let programs = try DumpPrograms.find(atLeast: try store.version())
        let snapshot = try store.begin()
        let manifest = try store.manifest(programs: programs.version)
        try programs.dump(
            conninfo, at: snapshot, withoutRowsOf: BackupStore.transient, isHeld: isHeld, to: folder,
            tick: Terminal.progress("backup"))
        let count = try programs.countTables(of: folder)
        guard count == manifest.rows.count else {
            throw CommandFailure("the dump has \(count) tables instead of \(manifest.rows.count)")
        }
        // Row-level security hides all rows of a table or none. There is a team from the first migration on.
        let (dumped, there) = (try programs.countRows(of: folder, in: "teams")["teams"], manifest.rows["teams"])
        guard dumped == there, there != 0 else {
            throw CommandFailure("the dump has \(dumped ?? 0) teams instead of \(there ?? 0)")
        }
        return manifest
    }

    /// Holds the files of a backup against its checksums, and its rows against its manifest; needs no database.
    static func check(_ folder: String, maxAge: Duration?) throws(CommandFailure) -> ExitStatus {
        let manifest: BackupManifest
        do {
            let backup = BackupFolder(folder)
            manifest = try backup.verify()
            let programs = try DumpPrograms.find(atLeast: manifest.programs)
            guard try programs.countRows(of: backup.dump, tick: Terminal.progress("check")) == manifest.rows else {
                throw CommandFailure("\(folder) is damaged: it has other rows than its manifest says")
            }
        } catch { throw CommandFailure(CommandFailure(folder, error).lines, status: ExitStatus(code: 2)) }
        Terminal.say("\(folder): good \(manifest.summary)")
        guard let maxAge, manifest.age > maxAge else { return .success }
        Terminal.complain("\(folder) is too old")
        return .refused
    }
}

extension DumpPrograms {
    /// The programs of the oldest installed version that is new enough.
    static func find(atLeast version: Int) throws(CommandFailure) -> DumpPrograms {
        var settings = ClusterSettings()
        if let path = Environment.value("PATH") { settings.searchPath = path }
        guard var programs = DumpPrograms(atLeast: version, settings) else {
            throw CommandFailure(
                "pg_dump, pg_restore and psql of PostgreSQL \(version) or newer were not found. Install the package"
                    + " postgresql-client-\(version).")
        }
        programs.services = ["PGSERVICEFILE", "PGSYSCONFDIR"].compactMap { name in
            Environment.value(name).map { "\(name)=\($0)" }
        }
        return programs
    }
}

extension CommandFailure {
    /// The failure of a command, or what else was thrown in it.
    init(_ what: String, _ error: any Error) {
        self = error as? CommandFailure ?? CommandFailure("\(what): \(describing: error)")
    }
}
