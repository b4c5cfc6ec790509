import EventLoop
import Postgres
import Synchronization
import TestDatabase
import Testing

/// Many who want one row, and those who want another: the row is locked by one at a time, and whoever waits for it occupies
/// nothing that others need.
@Suite(.timeLimit(.minutes(30))) struct `A row that many want` {
    private static let acme = Setting("SELECT set_config('pippin.team', \("ACMETEAM01"), true)")
    private static let rival = Setting("SELECT set_config('pippin.team', \("RIVALTEAM1"), true)")

    /// How many have had the row.
    private final class Count: Sendable {
        private let number = Atomic(0)

        var value: Int { number.load(ordering: .acquiring) }

        func increment() { number.add(1, ordering: .releasing) }
    }

    /// Who has had the row, in that order.
    private final class Order: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func note(_ name: String) { names.withLock { $0.append(name) } }
    }

    private static func lock(_ number: Int) -> SQL {
        let lock: SQL = "SELECT FROM t WHERE n = \(number) FOR NO KEY UPDATE"
        return lock.locking(row(number))
    }

    private static func row(_ number: Int) -> LockedRow { LockedRow("t", "\(number)") }

    /// Has the row for a while.
    private static func use(_ number: Int) -> SQL {
        "UPDATE t SET uses = uses + 1 WHERE n = \(number) RETURNING pg_sleep(0.02)::text"
    }

    private static func occupy(_ database: Database, _ setting: Setting) async throws {
        try await database.transaction(setting: setting) { transaction in
            _ = try await transaction.query("SELECT pg_sleep(0.05)::text")
        }
    }

    private static func uses(_ number: Int, _ database: Database) async throws -> String {
        var row = try #require(
            try await database.query("SELECT uses::text FROM t WHERE n = \(number)", setting: rival).first)
        return try row.next()
    }

    private static func withRows<Result: Sendable>(
        _ change: (inout Database.Configuration) -> Void,
        _ body: @escaping @Sendable (Database, EventLoop, String) async throws -> Result
    ) async throws -> Result {
        let conninfo = try TestDatabase.empty()
        return try await withPool(conninfo, change) { database, loop in
            _ = try await database.query("CREATE TABLE t AS SELECT n, 0 AS uses FROM generate_series(1, 9) AS n")
            return try await body(database, loop, conninfo)
        }
    }

    /// Holds rows until it is told to commit.
    private static func holder(of rows: ClosedRange<Int>, _ conninfo: String) throws -> AdminConnection {
        let holder = try AdminConnection(to: conninfo)
        try holder.execute("BEGIN")
        try holder.execute("SELECT FROM t WHERE n BETWEEN \(rows.lowerBound) AND \(rows.upperBound) FOR UPDATE")
        return holder
    }

    private static let waiters =
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'" + " AND datname = current_database()"

    /// Waits until so many connections wait for rows.
    ///
    /// - Parameter looker: has no transaction open, which would see the same all the time.
    private static func wait(for count: Int, _ loop: EventLoop, _ looker: borrowing AdminConnection) async throws {
        while try looker.execute(waiters, []).count < count { await loop.sleep(for: .milliseconds(5)) }
    }

    @Test func `V43: keeps a statement of another team waiting behind one of them, not behind all`() async throws {
        let (before, uses) = try await Self.withRows({ $0.shared = 1 }) { database, loop, _ in
            let count = Count()
            let tasks = (0..<40).map { _ in
                Task(executorPreference: loop) {
                    _ = try await database.query([Self.lock(1), Self.use(1)], setting: Self.acme)
                    count.increment()
                }
            }
            while database.statementCount < 81 { await Task.yield() }
            _ = try await Self.uses(2, database)
            let before = count.value
            for task in tasks { try await task.value }
            return (before, try await Self.uses(1, database))
        }

        #expect(before <= 2)
        #expect(uses == "40", "each had the row in the end")
    }

    @Test func `V43: keeps statements that are committed together waiting behind one of them`() async throws {
        let before = try await Self.withRows({ ($0.shared, $0.groupCommitSegments) = (1, 1) }) { database, loop, _ in
            let count = Count()
            let tasks = (0..<40).map { _ in
                Task(executorPreference: loop) {
                    _ = try await database.groupCommit(Self.use(1), locking: [1], setting: Self.acme)
                    count.increment()
                }
            }
            while database.statementCount < 41 { await Task.yield() }
            _ = try await database.groupCommit(Self.use(2), locking: [2], setting: Self.rival)
            let before = count.value
            for task in tasks { try await task.value }
            return before
        }

        #expect(before <= 4)
    }

    @Test func `V43: is waited for on one connection, in a line with an end, while others are answered`() async throws {
        let change: (inout Database.Configuration) -> Void = {
            ($0.shared, $0.line, $0.timeout) = (2, 8, .seconds(120))
        }
        let (refused, most, uses) = try await Self.withRows(change) { database, loop, conninfo in
            let looker = try AdminConnection(to: conninfo)
            let holder = try Self.holder(of: 1...1, conninfo)
            let refused = Count()
            let tasks = (0..<300).map { number in
                Task(executorPreference: loop) {
                    do throws(PostgresFailure) {
                        let statements = [Self.lock(1), Self.use(1)]
                        if number % 2 == 0 {
                            _ = try await database.query(statements, setting: Self.acme)
                        } else {
                            _ = try await database.groupCommit(statements, locking: [1], setting: Self.acme)
                        }
                    } catch {
                        #expect(error == .overloaded)
                        refused.increment()
                    }
                }
            }
            try await Self.wait(for: 1, loop, looker)
            var most = 0
            for _ in 0..<50 {
                _ = try await Self.uses(2, database)
                most = max(most, try looker.execute(Self.waiters, []).count)
            }
            try holder.execute("COMMIT")
            for task in tasks { await task.value }
            return (refused.value, most, try await Self.uses(1, database))
        }

        #expect(refused == 291)
        #expect(most == 1, "connections that wait for the row")
        #expect(uses == "9")
    }

    @Test func `V43: keeps a transaction of another team waiting behind as few`() async throws {
        for isNamed in [true, false] {
            let before = try await Self.withRows({ $0.exclusive = 2 }) { database, loop, _ in
                // Both connections are open when it begins.
                async let one: Void = Self.occupy(database, Self.acme)
                async let two: Void = Self.occupy(database, Self.rival)
                _ = try await (one, two)
                let count = Count()
                let tasks = (0..<30).map { _ in
                    Task(executorPreference: loop) {
                        let row = isNamed ? Self.row(1) : nil
                        try await database.transaction(setting: Self.acme, locking: row) { transaction in
                            _ = try await transaction.query(Self.use(1))
                        }
                        count.increment()
                    }
                }
                while database.statementCount < 33 { await Task.yield() }
                try await database.transaction(setting: Self.rival) { transaction in
                    _ = try await transaction.query("SELECT 1")
                }
                let before = count.value
                for task in tasks { try await task.value }
                return before
            }

            #expect(before <= 3, isNamed ? "the row is named" : "the team has all connections but one")
        }
    }

    @Test func `V43: leaves a connection for transactions of others, and one for those that wait for rows`()
        async throws
    {
        let uses = try await Self.withRows({ $0.timeout = .seconds(60) }) { database, loop, conninfo in
            let looker = try AdminConnection(to: conninfo)
            let holder = try Self.holder(of: 1...8, conninfo)
            // Rows that nobody names.
            let tasks = (1...8).map { number in
                Task(executorPreference: loop) {
                    if number % 2 == 0 {
                        _ = try await database.query(Self.use(number), setting: Self.acme)
                    } else {
                        try await database.transaction(setting: Self.acme) { transaction in
                            _ = try await transaction.query(Self.use(number))
                        }
                    }
                }
            }
            try await Self.wait(for: 4, loop, looker)
            let other = try Self.holder(of: 9...9, conninfo)
            let waiting = Task(executorPreference: loop) {
                _ = try await database.query(Self.use(9), setting: Self.rival)
            }
            try await Self.wait(for: 5, loop, looker)
            try other.execute("COMMIT")
            try await waiting.value
            try await database.transaction(setting: Self.rival) { transaction in
                _ = try await transaction.query("UPDATE t SET uses = uses + 1 WHERE n = \(9)")
            }
            let uses = try await Self.uses(9, database)
            try holder.execute("COMMIT")
            for task in tasks { try await task.value }
            return uses
        }

        #expect(uses == "2", "while the other rows were held")
    }

    @Test func `V43: lets two teams take turns`() async throws {
        let order = try await Self.withRows({ $0.exclusive = 1 }) { database, loop, _ in
            let order = Order()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<26 {
                    let (name, setting) = number < 20 ? ("acme", Self.acme) : ("rival", Self.rival)
                    group.addTask(executorPreference: loop) {
                        try await database.transaction(setting: setting) { transaction in
                            _ = try await transaction.query(Self.use(1))
                        }
                        order.note(name)
                    }
                }
                try await group.waitForAll()
            }
            return order.all
        }

        #expect(order.count == 26)
        #expect(order.prefix(16).count { $0 == "rival" } == 6, "\(order)")
    }
}
