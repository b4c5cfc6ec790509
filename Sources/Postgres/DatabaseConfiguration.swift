public import EventLoop
import Synchronization

/// Connection parameters of a database, and limits for connections, queues and time.
public struct DatabaseConfiguration: Sendable {
    /// The servers to connect to.
    let servers: DatabaseServers
    /// Role that every connection takes (`SET ROLE`); nil for the role that logs in.
    public var role: String?
    /// A table under row-level security; a connection on which that does not restrict the role is not used.
    public var walledTable: String?
    /// Connections that single statements share.
    public var shared = 6
    /// Connections for transactions, opened on demand.
    public var exclusive = 4
    /// Connections for statements that wait for row locks, opened on demand.
    public var lockWaitPool = 2
    /// Connections for searches, opened on demand.
    public var searching = 2
    /// Segments in progress on one connection before further statements wait.
    public var depth = 32
    /// Group commit segments in progress at a time.
    public var groupCommitSegments = 2
    /// Statements that may wait for a shared connection.
    public var queue = 2048
    /// Transactions that may wait for a connection.
    ///
    /// Owners take turns in this queue and in the two below (`FairQueue`), which helps only if the queues fill up
    /// before the server has no capacity left for requests: together they hold less than half the requests that a
    /// loop admits.
    public var exclusiveQueue = 512
    /// Statements that may wait for a connection of `lockWaitPool`.
    public var lockWaitQueue = 256
    /// Searches that may wait for a connection; slow searches in a longer queue would time out.
    public var searchQueue = 64
    /// Statements and transactions that may wait for one row.
    public var line = 64
    /// How long a statement may wait and run.
    public var timeout = Duration.seconds(10)
    /// How long a search may run: a user waits for it, and a narrower search is faster.
    public var searchTimeout = Duration.seconds(3)
    /// Time after `timeout` until a connection without a result is closed, and how long connecting may take.
    public var grace = Duration.seconds(5)
    /// How long connecting may take where there are other servers to try; less if `connect_timeout` says so.
    public var connectTimeout = Duration.seconds(2)
    /// How long a server may answer nothing at all before the others are asked.
    public var silence = Duration.seconds(3)
    /// How long statements wait after the last connection is lost: about as long as a server restart takes.
    ///
    /// After that, statements fail at once until a connection is open again.
    public var outage = Duration.seconds(3)
    /// Pool that resolves the server's name, which blocks; nil to resolve it on the loop's thread.
    public var lookups: BlockingPool?

    /// Maximum number of open connections.
    public var connections: Int { shared + exclusive + lockWaitPool + searching }

    /// - Parameter connection: a libpq connection string or URL.
    public init(connection: String, role: String? = nil, walledTable: String? = nil) {
        self.init(DatabaseServers(connection), role: role, walledTable: walledTable)
    }

    /// - Parameter servers: shared by all configurations of a process.
    public init(_ servers: DatabaseServers, role: String? = nil, walledTable: String? = nil) {
        (self.servers, self.role, self.walledTable) = (servers, role, walledTable)
    }
}

// The first statements of a connection. Its settings are no startup parameters, because poolers refuse those that they
// do not know, or drop them (PgBouncer's `ignore_startup_parameters`).
extension DatabaseConfiguration {
    /// Settings of a session, besides those that all have.
    ///
    /// The server cancels slow statements by itself, so that one of them does not fail the others on its connection.
    ///
    /// - Parameters:
    ///   - wait: how long a statement may wait for a lock; nil for as long as it may run.
    ///   - limit: how long a statement may run; nil for `timeout`.
    func settings(waitingForRows wait: Duration? = nil, within limit: Duration? = nil) -> [(
        name: String, value: String
    )] {
        let limit = max(1, (limit ?? timeout).nanoseconds / 1_000_000)
        var settings = [
            ("statement_timeout", String(limit)), ("idle_in_transaction_session_timeout", String(2 * limit)),
        ]
        if let wait { settings.append(("lock_timeout", String(wait.nanoseconds / 1_000_000))) }
        if let role { settings.append(("role", role)) }
        return settings
    }

    /// Connection parameters for libpq, to which those of a server are added.
    var options: [(key: String, value: String)] {
        // A server machine that is gone is noticed after eight seconds; a connection string may say otherwise.
        let alive = [
            ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "8000"),
        ]
        return alive.filter { servers.parameters[$0.0] == nil } + servers.parameters.all(but: Self.choices) + [
            ("application_name", "pippin"), ("gssencmode", "disable"), ("client_encoding", "UTF8"),
        ]
    }

    /// Parameters that choose a server.
    private static let choices = [
        "host", "hostaddr", "port", "service", "servicefile", "target_session_attrs", "load_balance_hosts",
    ]

    /// How long an attempt to connect may take.
    func connectTimeout(hasOthers: Bool) -> Duration {
        guard hasOthers else { return grace }
        let given = servers.parameters["connect_timeout"].flatMap { Int($0) }.map { Duration.seconds(max(1, $0)) }
        return min(connectTimeout, given ?? connectTimeout)
    }

    /// Yields a `SessionFault`, or NULL if the session can be used; the server's process; and when the server started.
    var check: SQL {
        let facts: SQL = "(\(Session.fault)), pg_backend_pid(), pg_postmaster_start_time()"
        guard let role, let walledTable else { return "SELECT \(facts)" }
        return """
            SELECT COALESCE(fault, CASE WHEN current_user <> \(role) THEN 'role'
                    WHEN NOT row_security_active(\(walledTable)::text) THEN 'wall' END), process, start
            FROM (SELECT \(facts)) AS facts (fault, process, start)
            """
    }

    /// Connects once, blocking, and throws unless the database's connections would be used.
    ///
    /// For the start of a process.
    public func verify() throws(AdminFailure) {
        let connection = try connect()
        if try connection.isPooled {
            try verifySession(of: connection)
            DatabaseServers.poolerKeepsSessions.store(true, ordering: .relaxed)
        }
        for setting in settings() {
            try connection.execute("SELECT set_config($1, $2, false)", [setting.name, setting.value])
        }
        let fault = try connection.execute(check.text, [role, walledTable].compactMap(\.self))[0][0]
        if let fault = fault.flatMap(SessionFault.init) { throw .unreachable(fault.description) }
    }

    private func connect() throws(AdminFailure) -> AdminConnection {
        // Of several servers only one can be written to.
        let choice = servers.hasSeveral ? [("target_session_attrs", "read-write")] : []
        return try AdminConnection(servers.parameters.all(but: ["target_session_attrs"]) + choice)
    }

    /// Throws if a pooler lends the session of a connection to others, together with its role and settings.
    ///
    /// A second connection holds a transaction meanwhile. If it does not get the first one's session in one round, because
    /// there were several to choose from, then in the next.
    private func verifySession(of first: borrowing AdminConnection) throws(AdminFailure) {
        let second = try connect()
        let read = "SELECT current_setting('pippin.probe', true)"
        for _ in 0..<4 {
            let mark = String(UInt64.random(in: .min ... .max))
            try first.execute("SELECT set_config('pippin.probe', $1, false)", [mark])
            try second.execute("BEGIN")
            guard try second.execute(read, [])[0][0] != mark, try first.execute(read, [])[0][0] == mark else {
                throw .unreachable(
                    "database_role: The pooler shares sessions between transactions. Use pool_mode = session, or connect to PostgreSQL"
                        + " directly.")
            }
            try second.execute("COMMIT")
        }
    }
}
