public import EventLoop

extension Database {
    /// How a database is reached and how much it may be asked at once.
    public struct Configuration: Sendable {
        /// A libpq connection string or URL.
        public var connection: String
        /// The role every connection takes (`SET ROLE`), or nil for the one that logs in.
        public var role: String?
        /// A table behind row-level security: no connection is used on which that does not bind the role.
        public var walledTable: String?
        /// Connections that statements share.
        public var shared = 6
        /// Connections for transactions, opened when first needed.
        public var exclusive = 4
        /// Connections for statements that wait for rows, opened when first needed.
        public var patient = 2
        /// Connections for searches, opened when first needed.
        public var searching = 2
        /// Statements under way on one connection before others wait.
        public var depth = 32
        /// Segments of jointly committed statements under way at once.
        public var jointSegments = 2
        /// Statements that may wait for a connection.
        public var queue = 2048
        /// Transactions that may wait for theirs.
        ///
        /// Owners take turns at it and at the two below (`FairQueue`), which helps only where these are full before a server
        /// has no place left for requests: together they take less than half of those that a loop has.
        public var exclusiveQueue = 512
        /// Statements that may wait for a connection on which they wait for rows.
        public var patientQueue = 256
        /// Searches that may wait for theirs: slow ones would wait in vain behind more.
        public var searchQueue = 64
        /// Statements and transactions that may wait for one row.
        public var line = 64
        /// How long a statement may wait and run.
        public var patience = Duration.seconds(10)
        /// How long a search may run: a person waits for it, and who looks for less finds it sooner.
        public var searchPatience = Duration.seconds(3)
        /// How much longer than that until its connection is given up, and how long connecting may take: libpq keeps
        /// `connect_timeout` only for those who block.
        public var grace = Duration.seconds(5)
        /// How long a statement waits once there is no connection any more: about as long as a server takes to start again.
        ///
        /// From then on statements fail at once, until there is one.
        public var absence = Duration.seconds(3)
        /// Where the server's name is looked up, which blocks; nil for the loop's own thread.
        public var lookups: BlockingPool?

        /// The most it opens at a time.
        public var connections: Int { shared + exclusive + patient + searching }

        public init(connection: String, role: String? = nil, walledTable: String? = nil) {
            self.connection = connection
            self.role = role
            self.walledTable = walledTable
        }
    }
}

// Whether a connection is what was asked for: poolers drop what they do not know of its beginning (PgBouncer's
// `ignore_startup_parameters`), and the role stands there.
extension Database.Configuration {
    /// Asked first on every connection; yields true where the role and the time-outs are in force.
    var check: SQL? {
        guard let role, let walledTable else { return nil }
        return """
            SELECT current_user = \(role) AND row_security_active(\(walledTable)::text)
                AND current_setting('statement_timeout') <> '0'
            """
    }

    /// What is wrong where it does not.
    var complaint: String {
        "a connection does not run as \(role ?? "") under row-level security: the options it began with were"
            + " dropped on the way (PgBouncer's ignore_startup_parameters), or the role may go around it; nothing is"
            + " served that way"
    }

    /// Connects once, waits, and tells whether the database's connections would be used.
    ///
    /// For the start of a process.
    public func verify() throws(AdminFailure) {
        let connection = try AdminConnection(options())
        guard let role, let walledTable else { return }
        let answer = try connection.execute(
            """
            SELECT current_user = $1 AND row_security_active($2::text)
                AND current_setting('statement_timeout') <> '0'
            """,
            [role, walledTable]
        )
        guard answer == [["t"]] else { throw .unreachable(complaint) }
    }
}

extension Database.Configuration {
    /// What libpq connects with.
    ///
    /// The server ends statements by itself, so that one slow statement does not cost the others of its
    /// connection theirs.
    ///
    /// - Parameters:
    ///   - wait: how long a statement may wait for a row; nil for as long as it may take.
    ///   - limit: how long a statement may take; nil for `patience`.
    func options(
        waitingForRows wait: Duration? = nil,
        within limit: Duration? = nil
    ) -> [(key: String, value: String)] {
        let limit = max(1, (limit ?? patience).nanoseconds / 1_000_000)
        var settings =
            "-c statement_timeout=\(limit) -c idle_in_transaction_session_timeout=\(2 * limit) -c timezone=UTC"
        if let wait { settings += " -c lock_timeout=\(wait.nanoseconds / 1_000_000)" }
        if let role { settings += " -c role=\(role)" }
        return [
            ("dbname", connection), ("options", settings), ("application_name", "pippin"),
            ("gssencmode", "disable"), ("client_encoding", "UTF8"),
        ]
    }
}
