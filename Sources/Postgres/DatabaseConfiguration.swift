public import EventLoop

/// Connection parameters of a database, and limits for connections, queues and time.
public struct DatabaseConfiguration: Sendable {
    /// A libpq connection string or URL.
    public var connection: String
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
    ///
    /// libpq applies `connect_timeout` to blocking calls only.
    public var grace = Duration.seconds(5)
    /// How long statements wait after the last connection is lost: about as long as a server restart takes.
    ///
    /// After that, statements fail at once until a connection is open again.
    public var outage = Duration.seconds(3)
    /// Pool that resolves the server's name, which blocks; nil to resolve it on the loop's thread.
    public var lookups: BlockingPool?

    /// Maximum number of open connections.
    public var connections: Int { shared + exclusive + lockWaitPool + searching }

    public init(connection: String, role: String? = nil, walledTable: String? = nil) {
        self.connection = connection
        self.role = role
        self.walledTable = walledTable
    }
}

// Check of a new connection: poolers drop startup parameters that they do not support (PgBouncer's
// `ignore_startup_parameters`), and the role is one of them.
extension DatabaseConfiguration {
    /// First statement on every connection; yields an empty text if role, walls and timeouts are in force, else a code.
    var check: SQL? {
        guard let role, let walledTable else { return nil }
        return """
            SELECT CASE WHEN current_user <> \(role) OR current_setting('statement_timeout') = '0' THEN 'database_role'
                WHEN NOT row_security_active(\(walledTable)::text) THEN 'database_wall' ELSE '' END
            """
    }

    /// Error to report if the check does not yield true.
    var complaint: String {
        "a connection does not run as \(role ?? "") under row-level security: the options it began with were"
            + " dropped on the way (PgBouncer's ignore_startup_parameters), or the role may go around it; nothing is"
            + " served that way"
    }

    /// Connects once, blocking, and throws unless the database's connections would be used.
    ///
    /// For the start of a process.
    public func verify() throws(AdminFailure) {
        let connection = try AdminConnection(options())
        guard let role, let walledTable else { return }
        let code =
            try connection.execute(
                """
                SELECT CASE WHEN current_user <> $1 OR current_setting('statement_timeout') = '0' THEN 'database_role'
                    WHEN NOT row_security_active($2::text) THEN 'database_wall' ELSE '' END
                """, [role, walledTable]
            ).first?.first ?? nil
        guard code == "" else { throw .unreachable("\(code ?? "database_role"): \(complaint)") }
    }

    /// Connection parameters for libpq.
    ///
    /// The server cancels slow statements by itself, so that one of them does not fail the others on its connection.
    ///
    /// - Parameters:
    ///   - wait: how long a statement may wait for a lock; nil for as long as it may run.
    ///   - limit: how long a statement may run; nil for `timeout`.
    func options(waitingForRows wait: Duration? = nil, within limit: Duration? = nil) -> [(key: String, value: String)]
    {
        let limit = max(1, (limit ?? timeout).nanoseconds / 1_000_000)
        var settings =
            "-c statement_timeout=\(limit) -c idle_in_transaction_session_timeout=\(2 * limit) -c timezone=UTC"
        if let wait { settings += " -c lock_timeout=\(wait.nanoseconds / 1_000_000)" }
        if let role { settings += " -c role=\(role)" }
        return [
            ("dbname", connection), ("options", settings), ("application_name", "pippin"), ("gssencmode", "disable"),
            ("client_encoding", "UTF8"),
        ]
    }
}
