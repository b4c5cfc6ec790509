public import EventLoop

extension Database {
    /// How a database is reached and how much it may be asked at once.
    public struct Configuration: Sendable {
        /// A libpq connection string or URL.
        public var connection: String
        /// The role every connection takes (`SET ROLE`), or nil for the one that logs in.
        public var role: String?
        /// Connections that statements share.
        public var shared = 6
        /// Connections for transactions, opened when first needed.
        public var exclusive = 4
        /// Connections for statements that wait for rows, opened when first needed.
        public var patient = 2
        /// Statements under way on one connection before others wait.
        public var depth = 32
        /// Segments of jointly committed statements under way at once.
        public var jointSegments = 2
        /// Statements that may wait for a connection.
        public var queue = 2048
        /// How long a statement may wait and run.
        public var patience = Duration.seconds(10)
        /// How long a statement waits once there is no connection any more: about as long as a server takes to start again.
        ///
        /// From then on statements fail at once, until there is one.
        public var absence = Duration.seconds(3)
        /// Where the server's name is looked up, which blocks; nil for the loop's own thread.
        public var lookups: BlockingPool?

        public init(connection: String, role: String? = nil) {
            self.connection = connection
            self.role = role
        }
    }
}

extension Database.Configuration {
    /// What libpq connects with.
    ///
    /// The server ends statements by itself, so that one slow statement does not cost the others of its
    /// connection theirs.
    ///
    /// - Parameter wait: how long a statement may wait for a row; nil for as long as it may take.
    func options(waitingForRows wait: Duration? = nil) -> [(key: String, value: String)] {
        let limit = max(1, patience.nanoseconds / 1_000_000)
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
