import Glibc

/// The PostgreSQL server of a cluster, started by `pg_ctl`.
struct ClusterServer: Sendable {
    let location: ClusterLocation
    let user: DatabaseUser
    let settings: ClusterSettings

    /// A `pg_ctl` that starts the server.
    struct Starter {
        fileprivate let process: pid_t
        fileprivate let log: ServerLog

        var hasEnded: Bool { Subprocess.hasEnded(process) }

        /// Why the server did not start, once it has ended.
        var failure: ClusterFailure { .notStarted(reason: log.lastError(), log: log.path) }
    }

    /// Status of the server, from its lock file.
    var status: Postmaster.Status { Postmaster.status(on: location.data) }

    /// The running server; nil if none runs.
    var postmaster: Postmaster? { Postmaster.running(on: location.data) }

    /// Whether the programs for the data are installed.
    var isInstalled: Bool { (try? binaries()) != nil }

    /// Connection string for a database of the cluster.
    ///
    /// It accepts only a server that runs as the database user, even if another user has replaced the socket.
    func conninfo(_ database: String, as login: String = "pippin") -> String {
        let host = Self.quoted(socketFolder)
        return "host=\(host) port=5432 user=\(login) dbname=\(Self.quoted(database))"
            + " requirepeer=\(Self.quoted(user.name))"
    }

    /// Creates the data unless they exist: in another folder first, so that they are complete or absent.
    ///
    /// No other process may do the same meanwhile. No password is needed, since only the database user and root can
    /// enter the socket folder.
    func initialise() throws(ClusterFailure) {
        if location.version != nil { return }
        guard !File.exists(location.data) else {
            throw .notInitialised(path: location.data, reason: "the folder holds no database")
        }
        guard let binaries = settings.find() else { throw .binariesMissing }
        Folder.remove([location.unfinished])
        try user.own(location.unfinished)
        try run(
            user.command(
                [
                    binaries.path("initdb"), "--pgdata=\(location.unfinished)", "--username=pippin", "--encoding=UTF8",
                    "--locale=C.UTF-8", "--data-checksums", "--auth-local=trust", "--auth-host=reject",
                    "--no-instructions",
                ] + (settings.isDurable ? [] : ["--no-sync"])))
        guard unsafe rename(location.unfinished, location.data) == 0 else { throw ClusterFailure(.last(location.data)) }
    }

    private func run(_ command: [String]) throws(ClusterFailure) {
        let outcome = try ClusterFailure.mapping { () throws(FileFailure) in try Subprocess.run(command) }
        guard outcome.code != 0 else { return }
        throw .notInitialised(path: location.data, reason: outcome.reason)
    }

    /// Starts the server unless it runs, and returns when it accepts connections.
    ///
    /// A server that outlived the process that started it is used; one that is stopping is waited for, and one that
    /// recovers from a crash for as long as it takes, with a line to `report` every ten seconds.
    func start(_ report: (String) -> Void) throws(ClusterFailure) {
        try user.own(location.data)
        let deadline = ContinuousClock.now + settings.startLimit
        var line = ContinuousClock.now + Self.lineInterval
        func wait() {
            usleep(5_000)
            guard ContinuousClock.now >= line else { return }
            report("database_starting: PostgreSQL is starting or recovering; its log is \(location.log)")
            line += Self.lineInterval
        }
        while !accepts() {
            if status == .absent {
                let starter = try beginStart()
                while !starter.hasEnded { wait() }
                let failure = starter.failure
                guard status != .absent || failure.isWaitingForSessions else { throw failure }
            }
            guard ContinuousClock.now < deadline || AdminConnection.isStarting(conninfo("postgres")) else {
                throw .silent(log: location.log)
            }
            wait()
        }
    }

    private static let lineInterval = Duration.seconds(10)

    /// Starts the server without waiting for it.
    func beginStart() throws(ClusterFailure) -> Starter {
        let binaries = try binaries()
        try user.own(location.socketFolder)
        Postmaster.orphan(location.data, socketFolder: location.socketFolder, as: user)
        return try ClusterFailure.mapping { () throws(FileFailure) in
            let log = try ServerLog.prepare(location.log, for: user)
            // pg_ctl hands its options to a shell. Names of files are relative to the folder, as it does not quote them.
            let options = settings.arguments(socketFolder: location.socketFolder).map { argument in
                "'" + argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
            }
            let command = [
                binaries.path("pg_ctl"), "start", "--silent", "--wait",
                "--timeout=\(settings.startLimit.components.seconds)", "--pgdata=\(location.dataName)",
                "--log=\(location.logName)", "--options=" + options.joined(separator: " "),
            ]
            return Starter(process: try Subprocess.spawn(user.command(command, in: location.home)), log: log)
        }
    }

    /// Stops the server.
    ///
    /// - Parameter limit: time limit for a fast shutdown, instead of the settings' limit; an immediate shutdown then
    ///   has the same limit again.
    func stop(within limit: Duration? = nil) throws(ClusterFailure) {
        try Postmaster.stop(on: location.data, limit: limit ?? settings.stopLimit, last: limit ?? .seconds(10))
        if location.socketFolder == location.shortSocketFolder { unsafe rmdir(location.shortSocketFolder) }
    }

    /// Creates the database unless it exists.
    func makeDatabase(_ name: String) throws(ClusterFailure) {
        try ensure(
            "CREATE DATABASE \(name)", unless: "SELECT 1 FROM pg_database WHERE datname = $1", name, in: "postgres")
    }

    /// Creates a login role that is a member of each of `roles`, which exist, and has no rights of its own.
    func makeLogin(_ name: String, of roles: [String]) throws(ClusterFailure) {
        try ensure(
            "CREATE ROLE \(name) LOGIN NOINHERIT", unless: "SELECT 1 FROM pg_roles WHERE rolname = $1", name,
            in: "pippin")
        for role in roles {
            try ensure(
                "GRANT \(role) TO \(name)",
                unless: "SELECT 1 FROM pg_roles WHERE rolname = $1 AND pg_has_role(oid, '\(role)'::name, 'MEMBER')",
                name, in: "pippin")
        }
    }

    /// Executes a statement unless a query about `name` has a row; another process may execute it at the same time.
    private func ensure(_ statement: String, unless query: String, _ name: String, in database: String)
        throws(ClusterFailure)
    {
        do throws(AdminFailure) {
            let connection = try AdminConnection(to: conninfo(database))
            guard try connection.execute(query, [name]).isEmpty else { return }
            do throws(AdminFailure) { try connection.execute(statement) } catch {
                guard try !connection.execute(query, [name]).isEmpty else { throw error }
            }
        } catch { throw .database(error) }
    }

    /// Folder of the socket; a server that was moved together with its folder still names the old one.
    private var socketFolder: String {
        if let running = postmaster, File.exists(running.socketFolder) { return running.socketFolder }
        return location.socketFolder
    }

    private func accepts() -> Bool {
        do throws(AdminFailure) {
            _ = try AdminConnection(to: conninfo("postgres"))
            return true
        } catch { return false }
    }

    private func binaries() throws(ClusterFailure) -> PostgresBinaries {
        guard let version = location.version else {
            throw .notInitialised(path: location.data, reason: "the folder holds no database")
        }
        guard let binaries = settings.find(version: version) else {
            throw .versionMissing(version, data: location.data)
        }
        return binaries
    }

    /// Quotes a value of a conninfo string (PostgreSQL documentation, section 34.1.1).
    private static func quoted(_ value: String) -> String {
        "'" + value.reduce(into: "") { $0 += $1 == "'" || $1 == "\\" ? "\\\($1)" : "\($1)" } + "'"
    }
}

/// Settings of a private cluster.
public struct ClusterSettings: Sendable {
    /// False allows a crash to lose all data: for tests, whose data are discarded.
    public var isDurable = true
    public var maxConnections = 100
    /// MiB of memory for PostgreSQL's page cache, allocated as needed.
    public var sharedBuffers = 128
    /// How long the server may take to accept connections, including recovery after a crash.
    public var startLimit: Duration = .seconds(60)
    /// How long a fast shutdown may take before an immediate one, which has the effect of a power cut.
    public var stopLimit: Duration = .seconds(30)
    /// Folder in which Debian's packages install PostgreSQL's programs, a folder for each version.
    public var packages = "/usr/lib/postgresql"
    /// Folders to search for PostgreSQL's programs besides Debian's, as in PATH.
    public var searchPath = "/usr/local/bin:/usr/local/pgsql/bin:/usr/bin"

    public init() {}

    /// The programs of the newest version, or of exactly `version`.
    func find(version: Int? = nil) -> PostgresBinaries? {
        PostgresBinaries.find(version: version, under: packages, searchPath: searchPath)
    }

    /// Arguments of the server, passed at every start, so that a newer release applies its own.
    func arguments(socketFolder: String) -> [String] {
        let settings = [
            ("listen_addresses", ""), ("port", "5432"),
            ("unix_socket_directories", "\"" + doubled(socketFolder) + "\""),
            ("max_connections", String(maxConnections)), ("shared_buffers", "\(sharedBuffers)MB"), ("jit", "off"),
            ("timezone", "UTC"), ("log_timezone", "UTC"),
            // The detail of a rejected row would write personal data to the log.
            ("log_error_verbosity", "terse"),
        ]
        let careless = [("fsync", "off"), ("synchronous_commit", "off"), ("full_page_writes", "off")]
        return (settings + (isDurable ? [] : careless)).flatMap { ["-c", "\($0.0)=\($0.1)"] }
    }

    private func doubled(_ text: String) -> String {
        text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    }
}

/// The server's log file, and the length that it had before a start.
struct ServerLog {
    let path: String
    private let begin: Int

    private static let most = 10 << 20
    /// Octets at the end of the log that `lastError` searches.
    private static let lastPart = 1 << 20

    /// Creates the log for the database user unless it exists, in a folder that the user cannot change.
    static func prepare(_ path: String, for user: DatabaseUser) throws(FileFailure) -> ServerLog {
        keepSmall(path)
        let descriptor = try File.openPrivate(path, O_WRONLY)
        defer { close(descriptor) }
        guard fchown(descriptor, user.user, user.group) == 0 else { throw .last(path) }
        return ServerLog(path: path, begin: Int(lseek(descriptor, 0, SEEK_END)))
    }

    /// Copies the last 10 MiB of a log that is larger to `.1`, in place of those before, and empties it; the server appends
    /// to it.
    ///
    /// What cannot be copied, as on a full disk, stays.
    static func keepSmall(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_size > most,
            let text = try? File.read(path, from: Int(status.st_size) - most),
            let copy = try? File.openPrivate(path + ".1", O_WRONLY | O_TRUNC)
        else { return }
        defer { close(copy) }
        var rest = text[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(copy, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
        unsafe truncate(path, 0)
    }

    /// Why the server ended: its last fatal message since the start, else the last line.
    func lastError() -> String {
        var status = stat()
        let size = unsafe lstat(path, &status) == 0 ? Int(status.st_size) : 0
        let text = (try? File.read(path, from: max(begin, size - Self.lastPart))) ?? []
        let lines = text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        return lines.reversed().compactMap(Self.complaint).first ?? lines.last ?? "it said nothing"
    }

    private static func complaint(in line: String) -> String? {
        for mark in ["FATAL:  ", "PANIC:  "] {
            let parts = line.split(separator: mark, maxSplits: 1, omittingEmptySubsequences: false)
            // "The database system is starting up" is the reply to clients that connect too early, not a cause.
            if parts.count == 2, !parts[1].hasPrefix("the database system is ") { return String(parts[1]) }
        }
        return nil
    }
}
