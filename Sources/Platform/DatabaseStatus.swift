public import Core
public import Postgres

/// Status of the database and its server.
public struct DatabaseStatus: Sendable {
    /// Version of PostgreSQL.
    public let version: String
    /// Size of the database on disk, in octets.
    public let size: Int
    public let connections: Int
    public let connectionLimit: Int
    public let clock: Timestamp
    /// Name of the last applied migration.
    public let migration: String
}

/// What readiness asks of the database, in one statement with what is read anyway.
public struct DatabaseFacts: Sendable {
    public var clock: Timestamp
    /// Time when the server was started, which tells one server from another.
    public var serverStart: Timestamp
    public var isReadOnly: Bool
    public var hasRole: Bool
    /// Whether row-level security holds for both of Pippin's roles.
    public var isWalled: Bool
    /// Number of the last applied migration.
    public var migration: Int
    /// Number of the oldest last migration whose release runs on the schema.
    public var runsWith: Int
    /// Whether the installation is a copy of another one, which alone writes to people and calls providers.
    public var isCopy = false

    /// The columns that `init` reads, on a connection with the role of `SystemDatabase`.
    ///
    /// A standby says that transactions are read-only, too.
    public static let columns: SQL = """
        clock_timestamp(), pg_postmaster_start_time(), current_setting('transaction_read_only') = 'on',
        current_user = 'pippin_system',
        row_security_active('teams') AND NOT EXISTS (
            SELECT FROM pg_roles WHERE rolname IN ('pippin_app', 'pippin_system') AND (rolbypassrls OR rolsuper)
        ),
        (SELECT COALESCE(max(number), 0) FROM pippin_migrations)::bigint,
        (SELECT COALESCE(max(runs_with), 0) FROM pippin_migrations)::bigint,
        EXISTS (SELECT FROM copies)
        """
}

extension DatabaseFacts {
    /// Reads the columns.
    public init(_ row: inout Row) throws(PostgresFailure) {
        (clock, serverStart, isReadOnly) = (try row.next(), try row.next(), try row.next())
        (hasRole, isWalled, migration, runsWith) = (try row.next(), try row.next(), try row.next(), try row.next())
        isCopy = try row.next()
    }
}

/// Reads the status of the database.
public struct DatabaseStatusStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) { self.database = database }

    public func read() async throws(PostgresFailure) -> DatabaseStatus {
        let rows = try await database.query(
            """
            SELECT current_setting('server_version'), pg_database_size(current_database()),
                (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
                current_setting('max_connections')::bigint, clock_timestamp(),
                COALESCE((SELECT name FROM pippin_migrations ORDER BY number DESC LIMIT 1), '')
            """)
        guard var row = rows.first else { throw .unreadable(column: 0, as: "a row of facts") }
        return DatabaseStatus(
            version: try row.next(), size: try row.next(), connections: try row.next(), connectionLimit: try row.next(),
            clock: try row.next(), migration: try row.next())
    }
    /// What readiness asks.
    public func facts() async throws(PostgresFailure) -> DatabaseFacts {
        try await database.query("SELECT \(DatabaseFacts.columns)").only { (row: inout Row) throws(PostgresFailure) in
            try DatabaseFacts(&row)
        }
    }

    /// The first difference from the walls that the last migration left; nil if there is none.
    public func shapeFault() async throws(PostgresFailure) -> String? {
        try await database.query("SELECT * FROM pippin_shape_faults() LIMIT 1").firstValue()
    }
}
