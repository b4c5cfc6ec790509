import Postgres
import Synchronization

/// Databases for tests: all in one cluster, which the first of them starts and which ends with the process.
public enum TestDatabase {
    private static let count = Atomic(0)

    /// The cluster whose database `pippin` is migrated and never used, but copied.
    private static let shared = Result {
        let cluster = try TestCluster()
        let connection = try AdminConnection(to: cluster.cluster.conninfo)
        try Migrator(folder: migrations).migrate(connection)
        return cluster
    }

    /// The repository's folder of migrations.
    public static var migrations: String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/" + root + "/migrations"
    }

    /// Makes a migrated database and returns its conninfo; it is dropped with the cluster.
    public static func clone() throws -> String { try make(from: "pippin").conninfo }

    /// Makes a database without tables and returns its conninfo; it is dropped with the cluster.
    public static func empty() throws -> String { try make(from: "template1").conninfo }

    static func make(from template: String) throws -> (name: String, conninfo: String) {
        let cluster = try shared.get().cluster
        let name = "test_\(count.add(1, ordering: .relaxed).newValue)"
        try AdminConnection(to: conninfo(of: "postgres", in: cluster)).execute(
            "CREATE DATABASE \(name) TEMPLATE \(template)")
        return (name, conninfo(of: name, in: cluster))
    }

    /// How to reach a database; a connection is waited for as long as it may take on a slow disk.
    private static func conninfo(of name: String, in cluster: PrivateCluster) -> String {
        cluster.conninfo(database: name) + " connect_timeout=600"
    }

    static func drop(_ name: String) throws {
        try AdminConnection(to: conninfo(of: "postgres", in: shared.get().cluster)).execute(
            "DROP DATABASE \(name) WITH (FORCE)")
    }
}

/// Lends `body` the conninfo of a migrated database, which is dropped afterwards with whoever is still connected.
public func withDatabase<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let (name, conninfo) = try TestDatabase.make(from: "pippin")
    let result: Result
    do { result = try await body(conninfo) } catch {
        try? TestDatabase.drop(name)
        throw error
    }
    try TestDatabase.drop(name)
    return result
}
