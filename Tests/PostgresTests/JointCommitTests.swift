import EventLoop
import Postgres
import TestDatabase
import TestSupport
import Testing

@Suite struct `Statements committed together` {
    /// Holds the only segment, has so many ask meanwhile, and lets them go on together.
    ///
    /// - Parameter statements: how many statements each asks for.
    /// - Returns: what each is answered, by its number.
    private static func run(
        _ count: Int, statements: Int = 1, on database: Database, _ loop: EventLoop, _ conninfo: String,
        _ body: @escaping @Sendable (Int) async throws -> Rows
    ) async throws -> [Int: Result<String, any Error>] {
        let held = try HeldStatement(at: conninfo)
        let first = Task(executorPreference: loop) {
            _ = try await database.groupCommit(HeldStatement.text, locking: [], setting: .acme)
        }
        try await held.isUnderWay()
        let before = database.statementCount
        return try await withThrowingTaskGroup(of: (Int, Result<String, any Error>).self) { group in
            for number in 0..<count {
                group.addTask(executorPreference: loop) {
                    do { return (number, .success(try await body(number).value())) } catch {
                        return (number, .failure(error))
                    }
                }
            }
            try await waitUntil { database.statementCount >= before + count * statements }
            try held.end()
            try await first.value
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Lends `body` a pool with one segment.
    private func withSegment(_ body: @escaping @Sendable (Database, EventLoop, String) async throws -> Void)
        async throws
    { try await withPool({ $0.groupCommitSegments = 1 }, body) }

    @Test func `share transactions, and each gets its own answer`() async throws {
        try await withSegment { database, loop, conninfo in
            let answers = try await Self.run(200, on: database, loop, conninfo) { number in
                try await database.groupCommit(
                    "SELECT pg_current_xact_id()::text || ' ' || \(number)::text", locking: [], setting: .acme)
            }
            var transactions: Set<Substring> = []
            for (number, answer) in answers {
                let parts = try answer.get().split(separator: " ")
                #expect(parts.last == "\(number)")
                transactions.insert(parts[0])
            }
            #expect(answers.count == 200)
            #expect(transactions.count == 4, "of 64 each at most")
        }
    }

    @Test func `run under the setting of each`() async throws {
        try await withSegment { database, loop, conninfo in
            let answers = try await Self.run(200, on: database, loop, conninfo) { number in
                // Pairs of neighbours share a team.
                let setting = Setting("SELECT set_config('pippin.team', \("TEAM\(number / 2)"), true)")
                return try await database.groupCommit(
                    "SELECT current_setting('pippin.team')", locking: [], setting: setting)
            }
            for (number, answer) in answers { #expect(try answer.get() == "TEAM\(number / 2)") }
        }
    }

    @Test func `fail alone, and their neighbours are kept`() async throws {
        try await withSegment { database, loop, conninfo in
            _ = try await database.query("CREATE TABLE t (n bigint CONSTRAINT t_n_check CHECK (n <> 13))")
            let answers = try await Self.run(50, on: database, loop, conninfo) { number in
                try await database.groupCommit(
                    "INSERT INTO t VALUES (\(number)) RETURNING n::text", locking: [], setting: .acme)
            }
            for (number, answer) in answers where number != 13 { #expect(try answer.get() == "\(number)") }
            let refusal = await failure { try answers[13]?.get() }
            #expect(refusal?.constraint == "t_n_check")
            #expect(answers.count == 50)
            #expect(try await database.query("SELECT count(*) FROM t").value() == 49)
        }
    }

    @Test func `of one member are kept together, or none of them`() async throws {
        try await withSegment { database, loop, conninfo in
            _ = try await database.query("CREATE TABLE t (n bigint CONSTRAINT t_n_check CHECK (n <> 1013))")
            let answers = try await Self.run(50, statements: 3, on: database, loop, conninfo) { number in
                try await database.groupCommit(
                    [
                        "INSERT INTO t VALUES (\(number))", "INSERT INTO t VALUES (\(1000 + number))",
                        "SELECT count(*)::text || ' ' || \(number)::text FROM t WHERE n % 1000 = \(number)",
                    ], locking: [], setting: .acme)
            }
            for (number, answer) in answers where number != 13 { #expect(try answer.get() == "2 \(number)") }
            #expect(throws: PostgresFailure.self) { try answers[13]?.get() }
            #expect(answers.count == 50)
            #expect(try await database.query("SELECT count(*) FROM t").value() == 98)
        }
    }

    @Test func `do not wait for the row that a neighbour waits for`() async throws {
        try await withSegment { database, loop, conninfo in
            _ = try await database.query("CREATE TABLE t AS SELECT n, 0 AS uses FROM generate_series(1, 2) AS n")
            @Sendable func use(_ number: Int) -> Task<String, any Error> {
                Task(executorPreference: loop) {
                    try await database.groupCommit(
                        "UPDATE t SET uses = uses + 1 WHERE n = \(number) RETURNING uses::text", locking: [],
                        setting: .acme
                    ).value()
                }
            }
            let row = try RowHolder(at: conninfo, "UPDATE t SET uses = uses + 1 WHERE n = 1")
            let segment = try HeldStatement(at: conninfo)
            async let first = database.groupCommit(HeldStatement.text, locking: [], setting: .acme)
            try await segment.isUnderWay()
            let before = database.statementCount
            let (locked, free) = (use(1), use(2))
            try await waitUntil { database.statementCount >= before + 2 }
            try segment.end()
            _ = try await first
            #expect(try await free.value == "1")
            try row.commit()
            #expect(try await locked.value == "2")
        }
    }
}
