import EventLoop
import TestSupport
import Testing

@testable import Postgres

@Suite struct `Statements` {
    @Test func `values come back as they went`() async throws {
        try await withPool { database, _, _ in
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
            #expect(try row.next(Int.self) == 1)
            #expect(try row.next(Int.self) == 2)
        }
    }

    @Test func `a bind is never read as SQL, and a fragment's binds are numbered on`() async throws {
        try await withPool { database, _, _ async throws in
            let text = "'; DROP TABLE teams; --"
            #expect(try await database.query("SELECT \(text)").value() == text)
            let fragment: SQL = "\(10) - \(4)"
            #expect(try await database.query("SELECT \(1) + (\(fragment)) + \(100)").value() == 107)
        }
    }

    @Test func `a failing statement fails alone, and prepares again`() async throws {
        try await withPool({ $0.shared = 1 }) { database, _, _ in
            for _ in 0..<3 {
                async let before = database.query("SELECT \(1)")
                async let broken = failure { try await database.query("SELECT no_such_column") }
                async let divided = failure { try await database.query("SELECT 1 / \(0)") }
                async let after = database.query("SELECT \(2)")
                _ = try await (before, after)
                let failures = await [broken, divided]
                #expect(failures.allSatisfy { $0 != nil })
            }
        }
    }

    @Test func `a column that holds something else is told, not trapped`() async throws {
        try await withPool { database, _, _ in
            let rows = try await database.query("SELECT 'a text', NULL::text, 1.5::numeric")
            var row = try #require(rows.first)
            #expect(throws: PostgresFailure.self) { try row.next(Int.self) }
            #expect(throws: PostgresFailure.self) { try row.next(String.self) }
            #expect(throws: PostgresFailure.self) { try row.next(Bool.self) }
            #expect(throws: PostgresFailure.self) { try row.next(String.self) }
        }
    }

    @Test func `a constraint is named`() async throws {
        try await withPool { database, _, _ in
            _ = try await database.query("CREATE TABLE t (id text CONSTRAINT t_id_key PRIMARY KEY)")
            _ = try await database.query("INSERT INTO t VALUES (\("a"))")
            let refusal = await failure { try await database.query("INSERT INTO t VALUES (\("a"))") }
            #expect(refusal?.constraint == "t_id_key")
        }
    }
}

@Suite struct `Settings` {
    @Test func `last as long as their statement, among a thousand others`() async throws {
        try await withPool({ $0.shared = 2 }) { database, _, _ in
            let teams = try await race(1000) { number in
                let setting = Setting("SELECT set_config('pippin.team', \("TEAM\(number)"), true)")
                let team: String = try await database.query("SELECT current_setting('pippin.team')", setting: setting)
                    .value()
                return team == "TEAM\(number)"
            }
            #expect(teams.allSatisfy { $0 })
        }
        try await withPool({ $0.shared = 1 }) { database, _, _ in
            _ = try await database.query("SELECT 1", setting: Setting("SELECT set_config('a.b', \("x"), true)"))
            #expect(try await database.query("SELECT current_setting('a.b', true)").value() == "")
        }
    }
}

@Suite struct `Transactions` {
    private struct Interrupted: Error {}

    @Test func `are kept whole or not at all`() async throws {
        try await withPool { database, _, _ in
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
            #expect(try await database.query("SELECT count(*) FROM t").value() == 2)
        }
    }

    @Test func `whose failure was overlooked do not look committed`() async throws {
        try await withPool { database, _, _ in
            let refusal = await failure {
                try await database.transaction { transaction in _ = try? await transaction.query("SELECT 1 / \(0)") }
            }
            #expect(refusal?.isTemporary == false)
        }
    }

    @Test func `wait for a connection when all are taken`() async throws {
        try await withPool({ $0.exclusive = 2 }) { database, _, _ in
            let done = try await race(20) { number in
                try await database.transaction { try await $0.query("SELECT \(number)").value(Int.self) }
            }
            #expect(done.sorted() == Array(0..<20))
        }
    }
}
