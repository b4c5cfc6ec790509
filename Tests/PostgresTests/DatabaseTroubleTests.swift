import EventLoop
import TestDatabase
import TestSupport
import Testing

@testable import Postgres

@Suite struct `Trouble` {
    private static let nowhere = "host=/nonexistent port=1"

    /// How a statement fails that nobody answers in its time.
    private static func lateFailure(on database: Database, _ loop: EventLoop) async throws -> PostgresFailure? {
        let ended = Count()
        let statement = Task(executorPreference: loop) {
            defer { ended.increment() }
            return await failure { try await database.query("SELECT 1") }
        }
        try await waitUntil { database.statementCount > 0 && database.problem != "not connected yet" }
        #expect(ended.value == 0)
        database.passAllTime()
        return await statement.value
    }

    @Test func `an unreachable server is told after the timeout, not after the first try`() async throws {
        try await withPool(Self.nowhere) { database, loop async throws in
            #expect(try await Self.lateFailure(on: database, loop)?.isTemporary == true)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a server that stays away is not waited for`() async throws {
        // Whoever waits for the whole time-out comes back after the end of the test.
        try await withPool({ ($0.outage, $0.timeout) = (.milliseconds(300), .testTimeout * 2) }) {
            database, _, conninfo in
            let name: String = try await database.query("SELECT current_database()::text").value()
            let admin = try AdminConnection(to: conninfo + " dbname=postgres")
            try admin.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
            try admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name])
            // What was under way may tell of the loss at once, and the next may wait until the absence is a long one.
            var failures: [PostgresFailure?] = []
            for _ in 0..<3 { failures.append(await failure { try await database.query("SELECT 1") }) }
            failures.append(await failure { try await database.transaction { _ = try await $0.query("SELECT 1") } })
            for failure in failures {
                if case .unavailable = failure { continue }
                Issue.record("\(failure as Any)")
            }
        }
    }

    @Test func `a loop that stood still reads what has come before it gives its connections up`() async throws {
        try await withPool({ $0.shared = 1 }) { database, loop, conninfo in
            let held = try HeldStatement(at: conninfo)
            func ask() async throws -> Task<PostgresFailure?, Never> {
                let statement = Task(executorPreference: loop) {
                    await failure { try await database.query(HeldStatement.text) }
                }
                try await held.isUnderWay()
                return statement
            }
            let first = try await ask()
            database.expire(at: .max)
            try held.end()
            #expect(await first.value == nil)
            try held.holdAgain()
            let second = try await ask()
            database.passAllTime()
            #expect(await second.value == .unavailable("database_silent: no answer in time"))
            try held.end()
        }
    }

    @Test func `a server's name is looked up beside the loop, and an unknown one is told`() async throws {
        let lookups = try BlockingPool(name: "lookups", threads: 1, queueLimit: 16)
        defer { lookups.stop() }
        try await withPool({ $0.lookups = lookups }) { database, _, _ in
            let answer = try await database.transaction { try await $0.query("SELECT \(7)").value(Int.self) }
            #expect(answer == 7)
        }
        try await withPool("host=no-such-host.invalid", { $0.lookups = lookups }) { database, loop async throws in
            #expect(try await Self.lateFailure(on: database, loop)?.isTemporary == true)
        }
    }

    @Test func `more than the queue takes is refused at once`() async throws {
        try await withPool(Self.nowhere, { $0.queue = 3 }) { database, loop in
            let statements = (0..<10).map { _ in
                Task(executorPreference: loop) { await failure { try await database.query("SELECT 1") } }
            }
            try await waitUntil { database.statementCount >= statements.count }
            database.passAllTime()
            var refused = 0
            for statement in statements where await statement.value == .overloaded { refused += 1 }
            #expect(refused == 7)
        }
    }

    @Test func `a statement that waits for a row keeps nobody waiting behind it`() async throws {
        try await withPool({ $0.shared = 1 }) { database, loop, conninfo in
            _ = try await database.query("CREATE TABLE t AS SELECT 1 AS n, 0 AS uses")
            let held = try RowHolder(at: conninfo, "UPDATE t SET uses = uses + 1")
            let before = database.statementCount
            // More than there are connections for those who wait.
            let waiting = (0..<6).map { number in
                Task(executorPreference: loop) {
                    let statement: SQL = "UPDATE t SET uses = uses + 1 RETURNING uses::text"
                    guard number < 3 else { return try await database.query(statement) }
                    return try await database.groupCommit(
                        statement, locking: [], setting: Setting("SELECT set_config('pippin.team', '', true)"))
                }
            }
            try await waitUntil { database.statementCount >= before + waiting.count }
            try await held.waitForWaiters()
            #expect(try await database.query("SELECT uses FROM t").value() == 0, "answered while the row was held")
            try held.commit()
            for task in waiting { _ = try await task.value }
            #expect(try await database.query("SELECT uses FROM t").value() == 7)
        }
    }

    @Test func `V53: a segment that failed before it prepared its last statement spoils nobody else's`() async throws {
        try await withPool({ $0.shared = 1 }) { database, _, _ in
            let sums = try await race(12) { number -> Int? in
                let sum: SQL = "SELECT \(number) + \(1)"
                // Each third fails in its first statement, so that the second, which all use, is not prepared.
                guard number % 3 == 0 else { return try await database.query(sum).value() }
                _ = try? await database.query(["SELECT 1 / \(0)", sum])
                return nil
            }
            #expect(sums.compactMap { $0 }.sorted() == [2, 3, 5, 6, 8, 9, 11, 12])
        }
    }

    @Test func `a statement for one time leaves nothing behind`() async throws {
        try await withPool({ $0.shared = 1 }) { database, _, _ in
            var condition: SQL = "\(true)"
            for number in 0..<50 {
                condition = "\(condition) AND \(number) = \(number)"
                let statement: SQL = "SELECT 'found' WHERE \(condition)"
                #expect(try await database.query(statement.once()).value() == "found")
            }
            let kept: Int = try await database.query("SELECT count(*) FROM pg_prepared_statements").value()
            #expect(kept == 1, "the question itself")
        }
    }

    @Test func `a statement that takes too long is ended by the server, and its neighbours live`() async throws {
        try await withPool({ $0.shared = 1 }) { database, _, conninfo in
            let held = try HeldStatement(at: conninfo)
            #expect(try await database.query("SHOW statement_timeout").value() == "10min")
            async let slow = failure { try await database.query(HeldStatement.text) }
            async let next = database.query("SELECT \(5)")
            try await held.isUnderWay()
            // As the limit does.
            try held.cancel()
            #expect(await slow == .timedOut)
            #expect(try await next.value() == 5)
        }
    }
}
