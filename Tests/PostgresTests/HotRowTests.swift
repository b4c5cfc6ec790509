import EventLoop
import Postgres
import Synchronization
import TestDatabase
import TestSupport
import Testing

/// How many have come so far.
final class Count: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .acquiring) }

    func increment() { number.add(1, ordering: .releasing) }
}

/// Many who want one row, and those who want another: the row is locked by one at a time, and whoever waits for it occupies
/// nothing that others need.
@Suite("A row that many want") struct HotRowTests {
    private static func lock(_ number: Int) -> SQL {
        let lock: SQL = "SELECT FROM t WHERE n = \(number) FOR NO KEY UPDATE"
        return lock.locking(row(number))
    }

    private static func row(_ number: Int) -> LockedRow { LockedRow("t", "\(number)") }

    private static func use(_ number: Int) -> SQL {
        "UPDATE t SET uses = uses + 1 WHERE n = \(number) RETURNING uses::text"
    }

    private static func uses(_ number: Int, _ database: Database) async throws -> String {
        try await database.query("SELECT uses::text FROM t WHERE n = \(number)", setting: .rival).value()
    }

    private static func withRows<Result: Sendable>(
        _ change: (inout DatabaseConfiguration) -> Void,
        _ body: @escaping @Sendable (Database, EventLoop, String) async throws -> Result
    ) async throws -> Result {
        let conninfo = try TestDatabase.empty()
        return try await withPool(conninfo, change) { database, loop in
            _ = try await database.query("CREATE TABLE t AS SELECT n, 0 AS uses FROM generate_series(1, 9) AS n")
            return try await body(database, loop, conninfo)
        }
    }

    private static func holder(of rows: ClosedRange<Int>, _ conninfo: String) throws -> RowHolder {
        try RowHolder(
            at: conninfo, "SELECT FROM t WHERE n BETWEEN \(rows.lowerBound) AND \(rows.upperBound) FOR UPDATE")
    }

    /// How somebody asks for a row.
    private enum Way: CaseIterable {
        case statement, groupCommit, groupCommitByKey

        func use(_ number: Int, _ database: Database) async throws(PostgresFailure) {
            let statements = [HotRowTests.lock(number), HotRowTests.use(number)]
            switch self {
            case .statement: _ = try await database.query(statements, setting: .acme)
            case .groupCommit: _ = try await database.groupCommit(statements, locking: [1], setting: .acme)
            case .groupCommitByKey:
                _ = try await database.groupCommit(HotRowTests.use(number), locking: [UInt8(number)], setting: .acme)
            }
        }
    }

    @Test func `V43: is waited for on one connection, in a line with an end, while others are answered`() async throws {
        let ways = Way.allCases.map { [$0] } + [[.statement, .groupCommit]]
        try await Self.withRows({ ($0.shared, $0.groupCommitSegments, $0.line) = (1, 1, 8) }) {
            database, loop, conninfo in
            for (index, ways) in ways.enumerated() {
                let row = index + 1
                let held = try Self.holder(of: row...row, conninfo)
                let refused = Count()
                let tasks = (0..<50).map { number in
                    Task(executorPreference: loop) {
                        do throws(PostgresFailure) { try await ways[number % ways.count].use(row, database) } catch {
                            #expect(error == .overloaded)
                            refused.increment()
                        }
                    }
                }
                try await held.waitForWaiters()
                var most = 0
                for _ in 0..<10 {
                    _ = try await Self.uses(row, database)
                    _ = try await database.groupCommit(Self.use(9), locking: [9], setting: .rival)
                    most = max(most, try await held.waitForWaiters())
                }
                try held.commit()
                for task in tasks { await task.value }

                #expect(refused.value == 41, "\(ways)")
                #expect(most == 1, "connections that wait for the row of \(ways)")
                #expect(try await Self.uses(row, database) == "9", "\(ways)")
            }
        }
    }

    @Test func `V43: keeps a transaction of another team waiting behind one of them`() async throws {
        try await Self.withRows({ $0.exclusive = 2 }) { database, loop, conninfo in
            // Either the row is named, or the team has all connections but one.
            for isNamed in [true, false] {
                let held = try Self.holder(of: 1...1, conninfo)
                let before = database.statementCount
                let tasks = (0..<30).map { _ in
                    Task(executorPreference: loop) {
                        try await database.transaction(setting: .acme, locking: isNamed ? Self.row(1) : nil) {
                            transaction in _ = try await transaction.query(Self.use(1))
                        }
                    }
                }
                try await waitUntil { database.statementCount >= before + tasks.count }
                try await held.waitForWaiters()
                try await database.transaction(setting: .rival) { transaction in
                    _ = try await transaction.query("SELECT 1")
                }
                #expect(try held.waiterCount() == 1, "named: \(isNamed)")
                try held.commit()
                for task in tasks { try await task.value }
            }
            #expect(try await Self.uses(1, database) == "60", "each had the row in the end")
        }
    }

    @Test func `V43: leaves a connection for others' transactions, and one for who waits for rows`() async throws {
        try await Self.withRows({ _ in }) { database, loop, conninfo in
            let held = try Self.holder(of: 1...8, conninfo)
            // Rows that nobody names.
            let tasks = (1...8).map { number in
                Task(executorPreference: loop) {
                    if number % 2 == 0 {
                        _ = try await database.query(Self.use(number), setting: .acme)
                    } else {
                        try await database.transaction(setting: .acme) { transaction in
                            _ = try await transaction.query(Self.use(number))
                        }
                    }
                }
            }
            try await held.waitForWaiters(4)
            let other = try Self.holder(of: 9...9, conninfo)
            let waiting = Task(executorPreference: loop) { _ = try await database.query(Self.use(9), setting: .rival) }
            try await held.waitForWaiters(5)
            try other.commit()
            try await waiting.value
            try await database.transaction(setting: .rival) { transaction in
                _ = try await transaction.query(Self.use(9))
            }
            #expect(try await Self.uses(9, database) == "2", "while the other rows were held")
            try held.commit()
            for task in tasks { try await task.value }
        }
    }

    @Test func `V43: lets two teams take turns`() async throws {
        try await Self.withRows({ $0.exclusive = 1 }) { database, loop, conninfo in
            let order = Notes()
            let held = try Self.holder(of: 1...1, conninfo)
            let before = database.statementCount
            let tasks = (0..<26).map { number in
                let (name, setting) = number < 20 ? ("acme", Setting.acme) : ("rival", .rival)
                return Task(executorPreference: loop) {
                    try await database.transaction(setting: setting) { transaction in
                        _ = try await transaction.query(Self.use(1))
                    }
                    order.note(name)
                }
            }
            try await waitUntil { database.statementCount >= before + tasks.count }
            try await held.waitForWaiters()
            try held.commit()
            for task in tasks { try await task.value }

            #expect(order.all.count == 26)
            #expect(order.all.prefix(16).count { $0 == "rival" } == 6, "\(order.all)")
        }
    }
}
