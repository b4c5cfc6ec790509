import EventLoop
import TestDatabase
import TestSupport
import Testing

@testable import Postgres

/// Opens a database on a loop of its own for the length of `body`; nothing ends there because the machine is slow.
func withPool<Result: Sendable>(
    _ conninfo: String, _ change: (inout Database.Configuration) -> Void = { _ in },
    _ body: @escaping @Sendable (Database, EventLoop) async throws -> Result
) async throws -> Result {
    var configuration = Database.Configuration(connection: conninfo)
    configuration.shared = 2
    (configuration.timeout, configuration.searchTimeout) = (.testTimeout, .testTimeout)
    (configuration.grace, configuration.outage) = (.testTimeout, .testTimeout)
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

@Suite struct `Statements` {
    @Test func `values come back as they went`() async throws {
        let conninfo = try TestDatabase.empty()
        let row = try await withPool(conninfo) { database, _ in
            let texts = ["a", "", "ä☃", "with,comma\"{}"]
            let bytes: [UInt8] = [0, 255, 10]
            let nothing: String? = nil
            let rows = try await database.query(
                """
                SELECT \(texts), \(bytes), \(true), \(Int.min), \(nothing), \([String]()), \([UInt8]()),
                    1::smallint, 2::integer
                """)
            var row = try #require(rows.first)
            #expect(try row.next([String].self) == texts)
            #expect(try row.next([UInt8].self) == bytes)
            #expect(try row.next(Bool.self))
            #expect(try row.next(Int.self) == .min)
            #expect(try row.next(String?.self) == nil)
            #expect(try row.next([String].self) == [])
            #expect(try row.next([UInt8].self) == [])
            return (try row.next(Int.self), try row.next(Int.self))
        }

        #expect(row == (1, 2))
    }

    @Test func `a bind is never read as SQL`() async throws {
        let conninfo = try TestDatabase.empty()
        let text = "'; DROP TABLE teams; --"
        let echoed = try await withPool(conninfo) { database, _ in
            let rows = try await database.query("SELECT \(text)")
            var row = try #require(rows.first)
            return try row.next(String.self)
        }

        #expect(echoed == text)
    }

    @Test func `a fragment's binds are numbered on`() async throws {
        let conninfo = try TestDatabase.empty()
        let sum = try await withPool(conninfo) { database, _ in
            let fragment: SQL = "\(10) - \(4)"
            let rows = try await database.query("SELECT \(1) + (\(fragment)) + \(100)")
            var row = try #require(rows.first)
            return try row.next(Int.self)
        }

        #expect(sum == 107)
    }

    @Test func `a failing statement fails alone, and prepares again`() async throws {
        let conninfo = try TestDatabase.empty()
        let outcome = try await withPool(conninfo, { $0.shared = 1 }) { database, _ in
            var refusals = 0
            for _ in 0..<3 {
                async let before = database.query("SELECT \(1)")
                async let broken = database.query("SELECT no_such_column")
                async let divided = database.query("SELECT 1 / \(0)")
                async let after = database.query("SELECT \(2)")
                _ = try await (before, after)
                do { _ = try await broken } catch { refusals += 1 }
                do { _ = try await divided } catch { refusals += 1 }
            }
            return refusals
        }

        #expect(outcome == 6)
    }

    @Test func `a column that holds something else is told, not trapped`() async throws {
        let conninfo = try TestDatabase.empty()
        try await withPool(conninfo) { database, _ in
            let rows = try await database.query("SELECT 'a text', NULL::text, 1.5::numeric")
            var row = try #require(rows.first)
            #expect(throws: PostgresFailure.self) { try row.next(Int.self) }
            #expect(throws: PostgresFailure.self) { try row.next(String.self) }
            #expect(throws: PostgresFailure.self) { try row.next(Bool.self) }
            #expect(throws: PostgresFailure.self) { try row.next(String.self) }
        }
    }

    @Test func `a constraint is named`() async throws {
        let conninfo = try TestDatabase.empty()
        let constraint = try await withPool(conninfo) { database, _ in
            _ = try await database.query("CREATE TABLE t (id text CONSTRAINT t_id_key PRIMARY KEY)")
            _ = try await database.query("INSERT INTO t VALUES (\("a"))")
            do {
                _ = try await database.query("INSERT INTO t VALUES (\("a"))")
                return String?.none
            } catch { return (error as? PostgresFailure)?.constraint }
        }

        #expect(constraint == "t_id_key")
    }
}

@Suite struct `Settings` {
    @Test func `last as long as their statement, among a thousand others`() async throws {
        let conninfo = try TestDatabase.empty()
        let wrong = try await withPool(conninfo, { $0.shared = 2 }) { database, loop in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<1000 {
                    group.addTask(executorPreference: loop) {
                        let team = "TEAM\(number)"
                        let setting = Setting("SELECT set_config('pippin.team', \(team), true)")
                        let rows = try await database.query("SELECT current_setting('pippin.team')", setting: setting)
                        guard var row = rows.first else { return true }
                        return try row.next(String.self) != team
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }
        let after = try await withPool(conninfo, { $0.shared = 1 }) { database, _ in
            _ = try await database.query("SELECT 1", setting: Setting("SELECT set_config('a.b', \("x"), true)"))
            let rows = try await database.query("SELECT current_setting('a.b', true)")
            var row = try #require(rows.first)
            return try row.next(String?.self)
        }

        #expect(wrong == 0)
        #expect(after == "")
    }
}

@Suite struct `Transactions` {
    private struct Interrupted: Error {}

    @Test func `are kept whole or not at all`() async throws {
        let conninfo = try TestDatabase.empty()
        let count = try await withPool(conninfo) { database, _ in
            _ = try await database.query("CREATE TABLE t (id bigint)")
            try await database.transaction { transaction in
                try await transaction.query("INSERT INTO t VALUES (\(1))")
                try await transaction.query("INSERT INTO t VALUES (\(2))")
            }
            await #expect(throws: Interrupted.self) {
                try await database.transaction { transaction in
                    try await transaction.query("INSERT INTO t VALUES (\(3))")
                    throw Interrupted()
                }
            }
            await #expect(throws: PostgresFailure.self) {
                try await database.transaction { transaction in
                    try await transaction.query("INSERT INTO t VALUES (\(4))")
                    try await transaction.query("SELECT 1 / \(0)")
                }
            }
            let rows = try await database.query("SELECT count(*) FROM t")
            var row = try #require(rows.first)
            return try row.next(Int.self)
        }

        #expect(count == 2)
    }

    @Test func `whose failure was overlooked do not look committed`() async throws {
        let conninfo = try TestDatabase.empty()
        let failure = try await withPool(conninfo) { database, _ in
            do {
                try await database.transaction { transaction in _ = try? await transaction.query("SELECT 1 / \(0)") }
                return PostgresFailure?.none
            } catch { return error as? PostgresFailure }
        }

        #expect(failure?.isTemporary == false)
    }

    @Test func `wait for a connection when all are taken`() async throws {
        let conninfo = try TestDatabase.empty()
        let done = try await withPool(conninfo, { $0.exclusive = 2 }) { database, loop in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<20 {
                    group.addTask(executorPreference: loop) {
                        try await database.transaction { transaction in
                            let rows = try await transaction.query("SELECT \(number)")
                            var row = try #require(rows.first)
                            return try row.next(Int.self)
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
        }

        #expect(done == 190)
    }
}
