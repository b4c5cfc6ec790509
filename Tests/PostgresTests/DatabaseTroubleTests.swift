import EventLoop
import TestDatabase
import Testing

@testable import Postgres

@Suite struct `Trouble` {
    /// How a statement fails that nobody answers in its time.
    private static func failure(on database: Database, _ loop: EventLoop) async -> PostgresFailure? {
        let statement = Task(executorPreference: loop) { () async -> PostgresFailure? in
            do throws(PostgresFailure) { _ = try await database.query("SELECT 1") } catch { return error }
            return nil
        }
        while database.statementCount == 0 || database.problem == "not connected yet" {
            await loop.sleep(for: .milliseconds(5))
        }
        database.passAllTime()
        return await statement.value
    }

    @Test func `an unreachable server is told after the timeout, not before a second try`() async throws {
        let failure = try await withPool("host=/nonexistent port=1") { database, loop in
            await Self.failure(on: database, loop)
        }

        #expect(failure?.isTemporary == true)
    }

    @Test func `a server that stays away is not waited for`() async throws {
        let conninfo = try TestDatabase.empty()
        // Whoever waits for the whole patience comes back much later, and with another failure.
        try await withPool(conninfo, { $0.outage = .milliseconds(300) }) { database, _ in
            let name = try Self.text(try await database.query("SELECT current_database()::text"))
            let admin = try AdminConnection(to: conninfo + " dbname=postgres")
            try admin.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
            try admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name])
            // What was under way may tell of the loss at once, and the next may wait until the absence is a long one.
            for _ in 0..<3 { await #expect(throws: PostgresFailure.self) { try await database.query("SELECT 1") } }
            await #expect(throws: PostgresFailure.self) {
                try await database.transaction { try await $0.query("SELECT 1") }
            }
        }
    }

    @Test func `a loop that stood still reads what has come before it gives its connections up`() async throws {
        let conninfo = try TestDatabase.empty()
        let held = try HeldStatement(at: conninfo)
        let (stalled, lost) = try await withPool(conninfo, { $0.shared = 1 }) { database, loop in
            func ask() async throws -> Task<PostgresFailure?, Never> {
                let statement = Task(executorPreference: loop) { () async -> PostgresFailure? in
                    do throws(PostgresFailure) { _ = try await database.query(HeldStatement.text) } catch {
                        return error
                    }
                    return nil
                }
                try await held.isUnderWay(on: loop)
                return statement
            }
            let first = try await ask()
            database.expire(at: .max)
            try held.end()
            let stalled = await first.value
            try held.holdAgain()
            let second = try await ask()
            database.passAllTime()
            let lost = await second.value
            try held.end()
            return (stalled, lost)
        }

        #expect(stalled == nil)
        #expect(lost == .unavailable("no answer in time"))
    }

    @Test func `a server's name is looked up beside the loop, and an unknown one is told`() async throws {
        let lookups = try BlockingPool(name: "lookups", threads: 1, queueLimit: 16)
        defer { lookups.stop() }
        let conninfo = try TestDatabase.empty()
        let answer = try await withPool(conninfo, { $0.lookups = lookups }) { database, _ in
            try await database.transaction { transaction in
                var row = try #require(try await transaction.query("SELECT \(7)").first)
                return try row.next(Int.self)
            }
        }
        let failure = try await withPool("host=no-such-host.invalid", { $0.lookups = lookups }) { database, loop in
            await Self.failure(on: database, loop)
        }

        #expect(answer == 7)
        #expect(failure?.isTemporary == true)
    }

    @Test func `more than the queue takes is refused at once`() async throws {
        let refused = try await withPool("host=/nonexistent port=1", { $0.queue = 3 }) { database, loop in
            let statements = (0..<10).map { _ in
                Task(executorPreference: loop) { () async -> Bool in
                    do throws(PostgresFailure) { _ = try await database.query("SELECT 1") } catch {
                        return error == .overloaded
                    }
                    return false
                }
            }
            while database.statementCount < statements.count { await Task.yield() }
            database.passAllTime()
            var refused = 0
            for statement in statements where await statement.value { refused += 1 }
            return refused
        }

        #expect(refused == 7)
    }

    @Test func `a statement that waits for a row keeps nobody waiting behind it`() async throws {
        let conninfo = try TestDatabase.empty()
        let (behind, waited) = try await withPool(conninfo, { $0.shared = 1 }) { database, loop in
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
            while database.statementCount < before + waiting.count { await Task.yield() }
            try await held.waitForWaiters()
            let behind = try Self.text(try await database.query("SELECT uses::text FROM t"))
            try held.commit()
            for task in waiting { _ = try await task.value }
            return (behind, try Self.text(try await database.query("SELECT uses::text FROM t")))
        }

        #expect(behind == "0", "it was answered while the row was held")
        #expect(waited == "7")
    }

    @Test func `V53: a segment that failed before it had prepared its last statement spoils nobody else's`()
        async throws
    {
        let conninfo = try TestDatabase.empty()
        let sums = try await withPool(conninfo, { $0.shared = 1 }) { database, loop in
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<12 {
                    group.addTask(executorPreference: loop) {
                        let sum: SQL = "SELECT \(number) + \(1)"
                        // Each third fails in its first statement, so that the second, which all use, is not prepared.
                        guard number % 3 == 0 else { return try await Self.number(database.query(sum)) }
                        _ = try? await database.query(["SELECT 1 / \(0)", sum])
                        return nil
                    }
                }
                return try await group.reduce(into: [Int]()) { if let sum = $1 { $0.append(sum) } }.sorted()
            }
        }

        #expect(sums == [2, 3, 5, 6, 8, 9, 11, 12])
    }

    private static func number(_ rows: Rows) throws -> Int {
        var row = try #require(rows.first)
        return try row.next()
    }

    @Test func `a statement for one time leaves nothing behind`() async throws {
        let conninfo = try TestDatabase.empty()
        let kept = try await withPool(conninfo, { $0.shared = 1 }) { database, _ in
            var condition: SQL = "\(true)"
            for number in 0..<50 {
                condition = "\(condition) AND \(number) = \(number)"
                let statement: SQL = "SELECT 'found' WHERE \(condition)"
                #expect(try Self.text(try await database.query(statement.once())) == "found")
            }
            return try Self.text(try await database.query("SELECT count(*)::text FROM pg_prepared_statements"))
        }

        #expect(kept == "1", "the question itself")
    }

    private static func text(_ rows: Rows) throws -> String {
        var row = try #require(rows.first)
        return try row.next()
    }

    @Test func `a statement that takes too long is ended by the server, and its neighbours live`() async throws {
        let conninfo = try TestDatabase.empty()
        let held = try HeldStatement(at: conninfo)
        let (limit, failure, answer) = try await withPool(conninfo, { $0.shared = 1 }) { database, loop in
            let limit = try Self.text(try await database.query("SHOW statement_timeout"))
            async let slow = database.query(HeldStatement.text)
            async let next = database.query("SELECT \(5)")
            try await held.isUnderWay(on: loop)
            // As the limit does.
            try held.cancel()
            var failure: PostgresFailure?
            do { _ = try await slow } catch { failure = error as? PostgresFailure }
            return (limit, failure, try Self.number(try await next))
        }

        #expect(limit == "10min")
        #expect(failure == .timedOut)
        #expect(answer == 5)
    }
}
