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
        let holder = try AdminConnection(to: conninfo)
        try holder.execute("BEGIN")
        try holder.execute(held.statement, held.values)
        let pid = try holder.execute("SELECT pg_backend_pid()::text", [])[0][0]
        let pending = try begin()
        let waiting = "SELECT FROM pg_stat_activity WHERE $1::integer = ANY (pg_blocking_pids(pid))"
        try await look { try !admin(waiting, pid).isEmpty }
        for change in changes { try holder.execute(change.statement, change.values) }
        try holder.execute("COMMIT")
        return pending
    }

    /// The same with a person of Acme held as everybody holds one who gives or ends something in their name.
    public func hold<Pending>(
        _ person: String, while begin: () throws -> Pending, then changes: [(statement: String, values: [String?])]
    ) async throws -> Pending {
        let statement = "SELECT FROM users WHERE team_id = 'ACMETEAM01' AND sub = $1 FOR NO KEY UPDATE"
        return try await hold((statement, [person]), while: begin, then: changes)
    }

    /// Has several wait for a person of Acme, each behind the one before, and lets them go on in that order.
    public func hold<Pending>(_ person: String, whileInTurn begin: [() throws -> Pending]) async throws -> [Pending] {
        let holder = try AdminConnection(to: conninfo)
        try holder.execute("BEGIN")
        try holder.execute("SELECT FROM users WHERE team_id = 'ACMETEAM01' AND sub = $1 FOR NO KEY UPDATE", [person])
        let waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        var pending: [Pending] = []
        for begin in begin {
            pending.append(try begin())
            let count = pending.count
            // The first waits at the database, those behind it on the loop.
            try await look { try await admin(waiting).count + loop.run { connections.waitingForRows } >= count }
        }
        try holder.execute("COMMIT")
        return pending
    }

    /// Starts several that want the same while another transaction holds it, and tells how many wait at the database
    /// once all of them wait, there or on the loop.
    ///
    /// - Parameter held: the statement that locks.
    public func waiters<Pending>(for held: String, while begin: [() throws -> Pending]) async throws -> (
        pending: [Pending], atDatabase: Int
    ) {
        let holder = try AdminConnection(to: conninfo)
        try holder.execute("BEGIN")
        try holder.execute(held)
        let pid = try holder.execute("SELECT pg_backend_pid()::text", [])[0][0]
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
        try await look {
            atDatabase = try admin(waiting, pid).count
            return try await atDatabase + loop.run { connections.waitingForRows } >= pending.count
        }
        try holder.execute("COMMIT")
        return (pending, atDatabase)
    }

    /// Waits until somebody waits for a row that `transaction` holds.
    public func waitForWaiter(of _: borrowing Transaction) async throws {
        let waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        try await look { try !admin(waiting).isEmpty }
    }

    /// Looks until somebody waits for what is held.
    private func look(_ isSo: () async throws -> Bool) async throws {
        try await waitUntil("somebody who waits for what is held") { try await isSo() }
    }
}
