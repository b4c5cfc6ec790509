import EventLoop
public import Postgres
import TestSupport

extension TestTeams {
    /// Widens the window between a look and what is decided by it: another transaction holds rows, `begin` starts what is
    /// tested, and as soon as that waits for the rows, what changes meanwhile is done and committed.
    ///
    /// - Parameters:
    ///   - held: the statement that locks, with its values.
    ///   - begin: starts the work and returns at once what it can be waited for by.
    public func hold<Pending>(
        _ held: (statement: String, values: [String?]), while begin: () throws -> Pending,
        then changes: [(statement: String, values: [String?])]
    ) async throws -> Pending {
        let holder = try RowHolder(at: conninfo, held.statement, held.values)
        let pending = try begin()
        let waiting = "SELECT FROM pg_stat_activity WHERE $1::integer = ANY (pg_blocking_pids(pid))"
        try await waitUntil("somebody who waits for what is held") { try !admin(waiting, holder.pid).isEmpty }
        for change in changes { try holder.execute(change.statement, change.values) }
        try holder.commit()
        return pending
    }

    /// The same with a person of Acme held as everybody holds one who gives or ends something in their name.
    public func hold<Pending>(
        _ person: String, while begin: () throws -> Pending, then changes: [(statement: String, values: [String?])]
    ) async throws -> Pending { try await hold((Self.lock, [person]), while: begin, then: changes) }

    private static var lock: String { "SELECT FROM users WHERE team_id = 'ACMETEAM01' AND sub = $1 FOR NO KEY UPDATE" }

    /// Has several wait for a person of Acme, each behind the one before, and lets them go on in that order.
    public func hold<Pending>(_ person: String, whileInTurn begin: [() throws -> Pending]) async throws -> [Pending] {
        let holder = try RowHolder(at: conninfo, Self.lock, [person])
        var pending: [Pending] = []
        for begin in begin {
            pending.append(try begin())
            let count = pending.count
            // The first waits at the database, those behind it on the loop.
            try await waitUntil("\(count) who wait") {
                try await holder.waiterCount() + loop.run { connections.waitingForRows } >= count
            }
        }
        try holder.commit()
        return pending
    }

    /// Starts several that want the same while another transaction holds it, and tells how many wait at the database
    /// once all of them wait, there or on the loop.
    ///
    /// - Parameter held: the statement that locks.
    public func waiters<Pending>(for held: String, while begin: [() throws -> Pending]) async throws -> (
        pending: [Pending], atDatabase: Int
    ) {
        let holder = try RowHolder(at: conninfo, held)
        let pending = try begin.map { try $0() }
        // For it, or behind one that waits for it; not those that wait for one another for a moment on their way.
        let waiting = """
            WITH RECURSIVE waiting AS (
                SELECT pid FROM pg_stat_activity WHERE $1::integer = ANY (pg_blocking_pids(pid))
                UNION
                SELECT behind.pid FROM pg_stat_activity AS behind, waiting
                WHERE waiting.pid = ANY (pg_blocking_pids(behind.pid))
            )
            SELECT FROM waiting
            """
        var atDatabase = 0
        try await waitUntil("\(pending.count) who wait") {
            atDatabase = try admin(waiting, holder.pid).count
            return try await atDatabase + loop.run { connections.waitingForRows } >= pending.count
        }
        try holder.commit()
        return (pending, atDatabase)
    }

    /// Waits until somebody waits for a row that `transaction` holds.
    public func waitForWaiter(of _: borrowing Transaction) async throws {
        try await waitUntil("somebody who waits") { try !admin("SELECT \(RowHolder.waiters)").isEmpty }
    }
}
