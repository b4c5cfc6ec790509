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
}
