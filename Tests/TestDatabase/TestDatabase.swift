import Postgres
import Synchronization
import TestSupport

/// Databases for tests: all in one cluster, which the first of them starts and which ends with the process.
public enum TestDatabase {
    private static let count = Atomic(0)
    private static let connections = KeptConnections()

    /// The cluster whose database `pippin` is migrated and never used, but copied.
    private static let shared = Result {
        let cluster = try TestCluster()
        let postgres = conninfo(of: "postgres", in: cluster.cluster)
        connections.keep(postgres)
        // It would be at work in a template that is to be copied, and change plans between two runs.
        try execute("ALTER SYSTEM SET autovacuum = off", in: postgres)
        try execute("SELECT pg_reload_conf()", in: postgres)
        try Migrator(folder: migrations).migrate(AdminConnection(to: cluster.cluster.conninfo))
        // Leaves the file from which a new connection knows the catalogue; it is copied too.
        try AdminConnection(to: cluster.cluster.conninfo).execute("SELECT")
        return cluster
    }

    /// The repository's folder of migrations.
    public static var migrations: String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/" + root + "/migrations"
    }

    /// Makes a migrated database and returns its conninfo; it is dropped with the cluster.
    public static func clone() throws -> String { try make(from: .migrated).conninfo }

    /// Makes a database without tables and returns its conninfo; it is dropped with the cluster.
    public static func empty() throws -> String { try make(from: Template(name: "template1")).conninfo }

    /// Makes a database with the given options of `CREATE DATABASE`; it is dropped with the cluster.
    public static func make(_ options: String) throws -> String {
        let name = "test_\(count.add(1, ordering: .relaxed).newValue)"
        try postgres("CREATE DATABASE \(name) TEMPLATE template0 \(options)")
        return conninfo(of: name, in: try shared.get().cluster)
    }

    /// Settings that a database may have and that mean something else to Pippin's statements, and their values.
    public static let oddSettings = [
        ("search_path", "elsewhere"), ("TimeZone", "Asia/Kathmandu"), ("DateStyle", "German, DMY"),
        ("IntervalStyle", "iso_8601"), ("bytea_output", "escape"), ("extra_float_digits", "-15"),
        ("standard_conforming_strings", "off"), ("array_nulls", "off"), ("transform_null_equals", "on"),
        ("quote_all_identifiers", "on"), ("gin_fuzzy_search_limit", "1"), ("row_security", "off"),
        ("pippin.team", "RIVALTEAM1"), ("pippin.owner", "on"), ("default_transaction_isolation", "serializable"),
        ("default_transaction_deferrable", "on"), ("statement_timeout", "7s"), ("lock_timeout", "1ms"),
        ("idle_in_transaction_session_timeout", "3s"), ("idle_session_timeout", "2s"), ("synchronous_commit", "off"),
        ("client_encoding", "LATIN1"),
    ]

    /// Gives a database all of them, for connections from now on.
    public static func makeOdd(_ conninfo: String) throws {
        for (name, value) in oddSettings { try set(name, to: "'\(value)'", in: conninfo) }
    }

    /// Gives a database one setting, for connections from now on.
    public static func set(_ name: String, to value: String, in conninfo: String) throws {
        try AdminConnection(to: conninfo).execute(
            """
            DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET \(name) = \(value.replacing("'", with: "''"))', current_database()); END $$
            """)
    }

    /// Runs one statement as the owner of the database, on a connection that is kept as long as `withDatabase` lends it.
    @discardableResult public static func execute(_ statement: String, _ values: [String?] = [], in conninfo: String)
        throws -> [[String?]]
    { try connections.execute(statement, values, in: conninfo) }

    /// A database that is copied, and that nobody is connected to.
    public struct Template: Sendable {
        public static let migrated = Template(name: "pippin")
        fileprivate let name: String
    }

    /// Makes a template out of another by what `fill` does to its copy.
    public static func template<Value>(from other: Template, fill: (String) async throws -> Value) async throws -> (
        template: Template, value: Value
    ) {
        let (name, conninfo) = try make(from: other)
        connections.keep(conninfo)
        let value = try await fill(conninfo)
        connections.forget(conninfo)
        // Whoever is connected ends a moment after having been told, and nothing is copied before.
        let others = "FROM pg_stat_activity WHERE datname = $1"
        try blockUntil { try postgres("SELECT pg_terminate_backend(pid, 600000) \(others)", [name]).isEmpty }
        return (Template(name: name), value)
    }

    static func make(from template: Template) throws -> (name: String, conninfo: String) {
        let name = "test_\(count.add(1, ordering: .relaxed).newValue)"
        try postgres("CREATE DATABASE \(name) TEMPLATE \(template.name) STRATEGY file_copy")
        return (name, conninfo(of: name, in: try shared.get().cluster))
    }

    /// How to reach a database; a connection is waited for as long as it may take on a slow disk.
    private static func conninfo(of name: String, in cluster: PrivateCluster) -> String {
        cluster.conninfo(database: name) + " connect_timeout=600"
    }

    @discardableResult private static func postgres(_ statement: String, _ values: [String?] = []) throws -> [[String?]]
    { try execute(statement, values, in: conninfo(of: "postgres", in: shared.get().cluster)) }

    fileprivate static func lend(_ template: Template) throws -> (name: String, conninfo: String) {
        let database = try make(from: template)
        connections.keep(database.conninfo)
        return database
    }

    fileprivate static func takeBack(_ name: String, _ conninfo: String) throws {
        connections.forget(conninfo)
        try postgres("DROP DATABASE \(name) WITH (FORCE)")
    }
}

/// Lends `body` the conninfo of a database of its own, which is dropped afterwards with whoever is still connected.
public func withDatabase<Result>(
    from template: TestDatabase.Template = .migrated, _ body: (String) async throws -> Result
) async throws -> Result {
    let (name, conninfo) = try TestDatabase.lend(template)
    let result: Result
    do { result = try await body(conninfo) } catch {
        try? TestDatabase.takeBack(name, conninfo)
        throw error
    }
    try TestDatabase.takeBack(name, conninfo)
    return result
}
