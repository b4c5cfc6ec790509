import EventLoop
import Glibc
import Postgres
import TestDatabase
import Testing

@Suite struct `Trouble` {
    @Test func `an unreachable server is told after the timeout, not before a second try`() async throws {
        let failure = try await withPool("host=/nonexistent port=1", { $0.timeout = .milliseconds(600) }) {
            database, _ in
            do {
                _ = try await database.query("SELECT 1")
                return PostgresFailure?.none
            } catch { return error as? PostgresFailure }
        }

        #expect(failure?.isTemporary == true)
    }

    @Test(.timeLimit(.minutes(30))) func `a server that stays away is not waited for`() async throws {
        let test = try TestCluster()
        // Whoever waits for the whole patience does not come back here.
        try await withPool(test.cluster.conninfo, { ($0.outage, $0.timeout) = (.milliseconds(300), .seconds(3600)) }) {
            database, _ in
            _ = try await database.query("SELECT 1")
            try test.cluster.stop()
            // What was under way may tell of the loss at once, and the next may wait until the absence is a long one.
            for _ in 0..<3 { await #expect(throws: PostgresFailure.self) { try await database.query("SELECT 1") } }
            await #expect(throws: PostgresFailure.self) {
                try await database.transaction { try await $0.query("SELECT 1") }
            }
        }
    }

    @Test func `a loop that stood still reads what has come before it gives its connections up`() async throws {
        let conninfo = try TestDatabase.empty()
        let answers = try await withPool(
            conninfo,
            {
                $0.shared = 1
                ($0.timeout, $0.grace) = (.seconds(1), .milliseconds(500))
            }
        ) { database, loop in
            _ = try await database.query("SELECT 1")
            let statement = Task(executorPreference: loop) { try await database.query("SELECT 2").count }
            // It has been queued, and not been sent, when this goes on.
            await Task.yield()
            usleep(2_000_000)
            return try await statement.value
        }

        #expect(answers == 1)
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
        let failure = try await withPool(
            "host=no-such-host.invalid",
            {
                $0.lookups = lookups
                $0.timeout = .milliseconds(600)
            }
        ) { database, _ in
            do {
                _ = try await database.query("SELECT 1")
                return PostgresFailure?.none
            } catch { return error as? PostgresFailure }
        }

        #expect(answer == 7)
        #expect(failure?.isTemporary == true)
    }

    @Test func `more than the queue takes is refused at once`() async throws {
        let refused = try await withPool(
            "host=/nonexistent port=1",
            {
                $0.queue = 3
                $0.timeout = .milliseconds(300)
            }
        ) { database, loop in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<10 {
                    group.addTask(executorPreference: loop) {
                        do throws(PostgresFailure) {
                            _ = try await database.query("SELECT 1")
                            return false
                        } catch { return error == .overloaded }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
        }

        #expect(refused == 7)
    }

    @Test func `a statement that waits for a row keeps nobody waiting behind it`() async throws {
        let conninfo = try TestDatabase.empty()
        let (behind, waited) = try await withPool(conninfo, { $0.shared = 1 }) { database, loop in
            _ = try await database.query("CREATE TABLE t AS SELECT 1 AS n, 0 AS uses")
            let (behind, waiting) = try await database.transaction { transaction in
                _ = try await transaction.query("UPDATE t SET uses = uses + 1")
                // More than there are connections for those who wait.
                let waiting = (0..<6).map { number in
                    Task(executorPreference: loop) {
                        let statement: SQL = "UPDATE t SET uses = uses + 1 RETURNING uses::text"
                        guard number < 3 else { return try await database.query(statement) }
                        return try await database.groupCommit(
                            statement, locking: [], setting: Setting("SELECT set_config('pippin.team', '', true)"))
                    }
                }
                await loop.sleep(for: .milliseconds(20))
                return (try await database.query("SELECT uses::text FROM t"), waiting)
            }
            for task in waiting { _ = try await task.value }
            return (try Self.text(behind), try Self.text(try await database.query("SELECT uses::text FROM t")))
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
        let (failure, answer) = try await withPool(
            conninfo,
            {
                $0.shared = 1
                $0.timeout = .milliseconds(500)
            }
        ) { database, _ in
            async let slow = database.query("SELECT pg_sleep(10)::text")
            async let next = database.query("SELECT \(5)")
            var failure: PostgresFailure?
            do { _ = try await slow } catch { failure = error as? PostgresFailure }
            var row = try #require(try await next.first)
            return (failure, try row.next(Int.self))
        }

        #expect(failure == .timedOut)
        #expect(answer == 5)
    }
}
