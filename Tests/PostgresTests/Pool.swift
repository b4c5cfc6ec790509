import EventLoop
import TestDatabase
import Testing

@testable import Postgres

/// Opens a database on a loop of its own for the length of `body`; nothing ends there because the machine is slow.
func withPool<Result: Sendable>(
    _ conninfo: String, _ change: (inout DatabaseConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (Database, EventLoop) async throws -> Result
) async throws -> Result {
    var configuration = DatabaseConfiguration.forTests(conninfo)
    change(&configuration)
    let loop = try EventLoop(name: "pool-test")
    try loop.start()
    defer { loop.stop() }
    return try await loop.run { [configuration] in
        let database = Database(loop: loop, configuration: configuration)
        database.open()
        defer { database.close() }
        return try await body(database, loop)
    }
}

extension Database {
    /// Has the time of everything pass that waits or is under way.
    ///
    /// The first look finds that much time has passed at once, as for a process that stood still; the second does not.
    func passAllTime() {
        expire(at: .max - 1)
        expire(at: .max)
    }
}

/// The same on a database without tables.
func withPool(
    _ change: (inout DatabaseConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (Database, EventLoop, _ conninfo: String) async throws -> Void
) async throws {
    let conninfo = try TestDatabase.empty()
    try await withPool(conninfo, change) { database, loop in try await body(database, loop, conninfo) }
}

extension Rows {
    /// The first value of the first row.
    func value<Value: SQLReadable>(_: Value.Type = Value.self) throws -> Value {
        var row = try #require(first)
        return try row.next()
    }
}

/// How it fails; nil where it does not.
func failure(of body: () async throws -> some Any) async -> PostgresFailure? {
    do { _ = try await body() } catch { return error as? PostgresFailure }
    return nil
}

extension Setting {
    static let acme = Setting("SELECT set_config('pippin.team', \("ACMETEAM01"), true)")
    static let rival = Setting("SELECT set_config('pippin.team', \("RIVALTEAM1"), true)")
}
