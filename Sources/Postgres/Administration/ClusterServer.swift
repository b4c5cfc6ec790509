import Glibc

/// The PostgreSQL server of a cluster.
///
/// The caller prevents other processes from starting or stopping it at the same time.
struct ClusterServer: Sendable {
    let location: ClusterLocation
    let user: DatabaseUser
    let settings: ClusterSettings

    /// A server that this process has started.
    struct Child {
        let process: pid_t
        let log: ServerLog
    }

    /// Whether the lock file names a server that is alive.
    var isListed: Bool { process != nil }

    /// Status of the server, from its lock file.
    var status: Postmaster.Status { Postmaster.status(on: location.data) }

    /// Process id of the running server; nil if none runs.
    var process: pid_t? { Postmaster.running(on: location.data)?.process }

    /// Connection string for a database of the cluster.
    ///
    /// It accepts only a server that runs as the database user, even if another user has replaced the socket.
    func conninfo(_ database: String, as login: String = "pippin") -> String {
        let host = Self.quoted(socketFolder)
        return "host=\(host) port=5432 user=\(login) dbname=\(Self.quoted(database))"
            + " requirepeer=\(Self.quoted(user.name))"
    }

    /// Starts the server unless it runs, and returns when it accepts connections.
    ///
    /// A server that outlived the process that started it is used; one that is stopping is waited for.
    ///
    /// - Returns: the started server; nil if it was already running.
    func start() throws(ClusterFailure) -> Child? {
        try user.own(location.data)
        let deadline = ContinuousClock.now + settings.startLimit
        var child: Child?
        while !accepts() {
            if let ended = child, Subprocess.hasEnded(ended.process) {
                let failure = failure(of: ended)
                guard failure.isHeldUp else { throw failure }
                child = nil
                usleep(100_000)
            }
            if settings.isInterrupted() {
                if let child { end(child, within: settings.stopLimit) }
                throw .interrupted
            }
            if child == nil && !isListed { child = try spawn() }
            guard ContinuousClock.now < deadline else {
                if let child { kill(child.process, SIGQUIT) }
                throw .silent(log: location.log)
            }
            usleep(5_000)
        }
        return child
    }

    /// Creates the database unless it exists.
    func makeDatabase(_ name: String) throws(ClusterFailure) {
        do throws(AdminFailure) {
            let connection = try AdminConnection(to: conninfo("postgres"))
            let found = try connection.execute("SELECT 1 FROM pg_database WHERE datname = $1", [name])
            if found.isEmpty { try connection.execute("CREATE DATABASE \(name)") }
        } catch { throw .database(error) }
    }

    /// Creates a login role that is a member of each of `roles`, which exist, and has no rights of its own.
    func makeLogin(_ name: String, of roles: [String]) throws(ClusterFailure) {
        do throws(AdminFailure) {
            let connection = try AdminConnection(to: conninfo("pippin"))
            let isThere = "SELECT 1 FROM pg_roles WHERE rolname = $1"
            if try connection.execute(isThere, [name]).isEmpty {
                do throws(AdminFailure) { try connection.execute("CREATE ROLE \(name) LOGIN NOINHERIT") } catch {
                    // Another process may have created it first.
                    guard try !connection.execute(isThere, [name]).isEmpty else { throw error }
                }
            }
            for role in roles {
                let member = try connection.execute("SELECT pg_has_role($1, $2, 'MEMBER')", [name, role])
                if member != [["t"]] { try connection.execute("GRANT \(role) TO \(name)") }
            }
        } catch { throw .database(error) }
    }

    /// Stops the server.
    ///
    /// - Parameter limit: time limit for a fast shutdown, instead of the settings' limit; an immediate shutdown then
    ///   has the same limit again.
    func stop(within limit: Duration? = nil) throws(ClusterFailure) {
        try Postmaster.stop(on: location.data, limit: limit ?? settings.stopLimit, last: limit ?? .seconds(10))
        if location.socketFolder == location.shortSocketFolder { unsafe rmdir(location.shortSocketFolder) }
    }

    /// Folder of the socket; a server that was moved together with its folder still names the old one.
    private var socketFolder: String {
        if let running = Postmaster.running(on: location.data), File.exists(running.socketFolder) {
            running.socketFolder
        } else {
            location.socketFolder
        }
    }

    private func accepts() -> Bool {
        do throws(AdminFailure) {
            _ = try AdminConnection(to: conninfo("postgres"))
            return true
        } catch { return false }
    }

    /// Ends a server that may not have written its lock file yet.
    func end(_ child: Child, within limit: Duration) {
        kill(child.process, SIGINT)
        let deadline = ContinuousClock.now + limit
        while !Subprocess.hasEnded(child.process), ContinuousClock.now < deadline { usleep(5_000) }
    }

    /// Starts the server without waiting for it.
    func spawn() throws(ClusterFailure) -> Child {
        let binaries = try binaries()
        try user.own(location.socketFolder)
        Postmaster.orphan(location.data, socketFolder: location.socketFolder, as: user)
        let arguments = settings.arguments(data: location.data, socketFolder: location.socketFolder)
        let (log, output) = try ClusterFailure.mapping { () throws(FileFailure) in try ServerLog.open(location.log) }
        defer { close(output) }
        do throws(Subprocess.Failure) {
            let command = user.command([binaries.path("postgres")] + arguments)
            // Ctrl-C reaches every process of the terminal's group: the database must outlast the last requests.
            let process = try Subprocess.spawn(command, output: output, ownSession: true)
            return Child(process: process, log: log)
        } catch { throw .notStarted(reason: error.description, log: location.log) }
    }

    /// Why a server that has ended did not start.
    func failure(of ended: Child) -> ClusterFailure { .notStarted(reason: ended.log.lastWords(), log: location.log) }

    private func binaries() throws(ClusterFailure) -> PostgresBinaries {
        guard let version = location.version else {
            throw .notInitialised(path: location.data, reason: "the folder holds no database")
        }
        guard let binaries = PostgresBinaries.find(version: version, searchPath: settings.searchPath) else {
            throw .versionMissing(version, data: location.data)
        }
        return binaries
    }

    /// Quotes a value of a conninfo string (PostgreSQL documentation, section 34.1.1).
    private static func quoted(_ value: String) -> String {
        "'" + value.reduce(into: "") { $0 += $1 == "'" || $1 == "\\" ? "\\\($1)" : "\($1)" } + "'"
    }
}
