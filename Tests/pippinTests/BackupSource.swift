import Accounts
import Core
import Crypto
import EventLoop
import Glibc
import OAuth
import Platform
import Postgres
import TestDatabase
import TestSupport
import Testing

@testable import pippin

/// An installation with two teams whose owner is no superuser, and a backup of it; nothing changes either.
struct BackupSource: OwnedDatabase, Sendable {
    let conninfo: String
    let backup: String
    /// Its file of master keys.
    let key: String
    private let folder: TemporaryFolder

    private static let made = Task { try await BackupSource() }

    static func shared() async throws -> BackupSource { try await made.value }

    private init() async throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let database = try TestRoles.database(ownedBy: "backup_source")
        (conninfo, backup) = (database.conninfo, folder.path + "/backup")
        let thread = try EventLoop(name: "backup-source")
        try thread.start()
        defer { thread.stop() }
        let settings = try TestRoles.settings(database.ofOwner, data: folder.path + "/data")
        let backup = backup
        try await thread.run {
            try Self.fill(settings)
            try TestRoles.make("backup_reader", for: nil)
            for statement in Self.rows { try TestDatabase.execute(statement, in: database.conninfo) }
            #expect(try BackupCommand(settings: settings, folder: backup).run() == .success)
        }
        key = String(decoding: try File.read(folder.path + "/data/master-key"), as: UTF8.self)
    }

    /// Takes another backup.
    func take(from conninfo: String, to path: String? = nil) throws {
        let scratch = try TemporaryFolder()
        let settings = try TestRoles.settings(conninfo, data: scratch.path)
        do { _ = try BackupCommand(settings: settings, folder: path ?? scratch.path + "/copy").run() } catch {
            #expect(try Folder.names(in: scratch.path) == [], "a backup that fails leaves nothing")
            throw error
        }
    }

    private static func fill(_ settings: Settings) throws {
        let installation = try Installation.open(settings, .making).0
        defer { installation.close() }
        let process = try ServerProcess(installation, loops: 1, argon2id: Argon2id(memoryKiB: 8, passes: 1))
        defer { process.close() }
        let file = try RegistryFile(parsing: Array(registry.utf8)) { _ in [] }
        let report = try ApplyCommand.apply(file, ApplyOptions(), in: process)
        if case .refused(let problems) = report.outcome { Issue.record("refused: \(problems)") }
        let worker = process.loopServices[0]
        let rounds = AuditRounds(
            worker.database, system: SystemDatabase(worker.system), keys: SealKeys(process.server.keyRing))
        try worker.loop.wait { try await rounds.seal { _ in } }
    }

    private static let registry = """
        {"teams": [
          {"id": "ACMETEAM01", "name": "Acme", "mode": "sandbox", "identitySources": ["directory"],
           "appIDs": [{"identifier": "com.acme.app", "description": "App"}],
           "users": [{"email": "ada@acme.example", "password": "fathom-plinth-ostrich-92"},
                     {"email": "ben@acme.example", "password": "fathom-plinth-ostrich-93"}]},
          {"id": "RIVALTEAM1", "name": "Rival", "mode": "sandbox", "identitySources": ["directory"],
           "users": [{"email": "rita@rival.example", "password": "fathom-plinth-ostrich-94"},
                     {"email": "rolf@rival.example", "password": "fathom-plinth-ostrich-95"}]}
        ]}
        """

    private static let rows = [
        """
        INSERT INTO heartbeats (process_id, seen_at, heartbeat)
        VALUES ('p', now(), '{"publicURL": "http://localhost:8080"}')
        """,
        """
        INSERT INTO jobs (team_id, job_id, kind, priority, payload, due_at)
        SELECT team_id, repeat('b', 26), 'mail.send', 0, '{}', now() FROM teams
        """,
        """
        INSERT INTO notifications (team_id, notification_id, app_id, type, sub, event_time)
        SELECT team_id, repeat('a', 26), 'com.acme.app', 'account-delete', 'x', now() FROM teams
        """,
        """
        INSERT INTO sessions (team_id, token_hash, sub, created_at, last_seen_at, expires_at, ip, user_agent)
        SELECT team_id, sha256(sub::bytea), sub, now(), now(), now() + interval '1 day', '127.0.0.1', E'a\\tb\\\\.\\nc'
        FROM users
        """,
        """
        INSERT INTO refresh_tokens (team_id, token_id, sub, app_id, client_id, authenticated_at, created_at, last_used_at)
        SELECT team_id, substr(sha256(sub::bytea), 1, 16), sub, 'com.acme.app', 'com.acme.app', now(), now(), now()
        FROM users ORDER BY team_id LIMIT 3
        """, "INSERT INTO limits (team_id, subject, window_ends_at, count) VALUES ('ACMETEAM01', 'x', now(), 1)",
        // As somebody who draws diagrams has; a private cluster does not know the role.
        "GRANT SELECT (email) ON users TO backup_reader",
        "ALTER DEFAULT PRIVILEGES FOR ROLE backup_source GRANT SELECT ON TABLES TO backup_reader",
    ]
}

extension OwnedDatabase {
    /// Number and digest of the rows of each table that a restore does not change itself.
    func digests() throws -> [String: String] {
        let tables = try admin(
            """
            SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                AND relname !~ '^(audit_|pippin_migrations|heartbeats|limits|not_befores|registry_versions)'
            """)
        var digests: [String: String] = [:]
        for case let table? in tables.map({ $0[0] }) {
            digests[table] = try admin(
                """
                SELECT count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))), '')
                FROM public.\(table) t
                """)[0][0]
        }
        return digests
    }
}

/// Roles that own databases and are no superusers.
enum TestRoles {
    static func make(_ name: String, for database: String?) throws {
        let conninfo = try TestDatabase.empty()
        try TestDatabase.execute(
            """
            DO $$ BEGIN CREATE ROLE \(name) LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$
            """, in: conninfo)
        try TestDatabase.execute(
            """
            DO $$ BEGIN GRANT pippin_app, pippin_system TO \(name);
            EXCEPTION WHEN duplicate_object OR unique_violation OR internal_error THEN NULL; END $$
            """, in: conninfo)
        if let database { try TestDatabase.execute("ALTER DATABASE \(database) OWNER TO \(name)", in: conninfo) }
    }

    /// An empty database, and how its owner reaches it.
    static func database(ownedBy owner: String) throws -> (conninfo: String, ofOwner: String) {
        let conninfo = try TestDatabase.empty()
        let name = try TestDatabase.execute("SELECT current_database()", in: conninfo)[0][0]
        try make(owner, for: name)
        return (conninfo, conninfo.replacing("user=pippin", with: "user=\(owner)"))
    }

    static func settings(_ conninfo: String?, data: String, url: String = "http://localhost:8080") throws -> Settings {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        var options = Options(
            ["--data=\(data)", "--resources=\(root)", "--log-level=error", "--loops=1", "--public-url=\(url)"]
                + (conninfo.map { ["--database=\($0)"] } ?? []))
        let settings = Settings(&options)
        return try #require(settings, "\(options.problems)")
    }
}

/// An empty place for a restore, with a master key.
struct BackupTarget: Sendable {
    let settings: Settings
    private let conninfo: String?
    private let folder: TemporaryFolder

    /// - Parameter key: the file of master keys; none if it is empty.
    init(isPrivate: Bool, key: String, url: String = "http://localhost:8080") throws {
        folder = try TemporaryFolder()
        if isPrivate {
            conninfo = nil
            settings = try TestRoles.settings(nil, data: try TestCluster.makeDirectory().path, url: url)
        } else {
            let database = try TestRoles.database(ownedBy: "backup_target")
            conninfo = database.conninfo
            settings = try TestRoles.settings(database.ofOwner, data: folder.path, url: url)
        }
        guard !key.isEmpty else { return }
        let path = settings.dataDirectory + "/master-key"
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let bytes = Array(key.utf8)
        #expect(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
    }

    func restore(_ path: String, endsTokens: Bool = false, isCopy: Bool = false, isMoved: Bool = false) throws
        -> pippin.ExitStatus
    {
        try RestoreCommand(
            settings: settings,
            arguments: RestoreCommand.Arguments(folder: path, endsTokens: endsTokens, isCopy: isCopy, isMoved: isMoved)
        ).run()
    }

    /// Whether there is no table, and nothing in the data directory but the key and the lock of a cluster.
    func isEmpty() throws -> Bool {
        let names = try Folder.names(in: settings.dataDirectory)
        guard names.allSatisfy({ ["master-key", "cluster.lock"].contains($0) }) else { return false }
        guard let conninfo else { return true }
        let count = try TestDatabase.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace", in: conninfo)
        return count == [["0"]]
    }

    /// Lends `body` what was restored, seen by a superuser.
    func look(_ body: (any OwnedDatabase) throws -> Void) throws {
        struct Looker: OwnedDatabase { let conninfo: String }
        if let conninfo { return try body(Looker(conninfo: conninfo)) }
        let (conninfo, cluster) = try Installation.reachExisting(settings)
        defer { if let cluster { Installation.leave(cluster, isPatient: true) } }
        try body(Looker(conninfo: conninfo))
    }
}

/// A copy of a backup that a test spoils.
struct SpoiltBackup: Sendable {
    let folder: TemporaryFolder
    var path: String { folder.path + "/copy" }
    private let source: BackupSource

    init(of source: BackupSource) throws {
        (self.source, folder) = (source, try TemporaryFolder())
        _ = try shell("cp -a \(source.backup) \(folder.path)/copy")
    }

    /// Why it is not a good backup.
    var problem: String? {
        do throws(CommandFailure) {
            _ = try BackupFolder(path).verify()
            return nil
        } catch { return error.lines.first }
    }

    /// Gives it another manifest, with checksums to match.
    func seal(_ change: (inout BackupManifest) -> Void = { _ in }) throws {
        var manifest = try BackupFolder(source.backup).verify()
        change(&manifest)
        try BackupFolder(path).seal(manifest)
    }

    /// Cuts off the largest file of rows in its middle.
    func cut() throws {
        let name = try shell("cd \(path)/dump && ls -S *.gz | head -n 1").split(separator: "\n")[0]
        let octets = try File.read("\(path)/dump/\(name)")
        try folder.write(bytes: Array(octets.prefix(octets.count / 2)), to: "copy/dump/\(name)")
        try seal()
    }
}
