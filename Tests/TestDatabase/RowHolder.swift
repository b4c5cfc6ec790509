public import Postgres
import TestSupport

/// A transaction beside those of a test, which holds rows until the test lets them go.
public struct RowHolder: ~Copyable {
    /// The sessions of the database that wait for a lock, as the end of a statement.
    public static let waiters = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"

    /// The process of the server that holds the rows.
    public let pid: String?
    private let holder: AdminConnection
    /// Without a transaction, in which it would see the same waiters all the time.
    private let looker: AdminConnection

    /// Begins a transaction with the statement that locks.
    public init(at conninfo: String, _ statement: String, _ values: [String?] = []) throws(AdminFailure) {
        let holder = try AdminConnection(to: conninfo)
        let looker = try AdminConnection(to: conninfo)
        try holder.execute("BEGIN")
        try holder.execute(statement, values)
        pid = try holder.execute("SELECT pg_backend_pid()::text", [])[0][0]
        self.holder = holder
        self.looker = looker
    }

    /// Number of sessions that wait for a lock.
    public func waiterCount() throws(AdminFailure) -> Int { try looker.execute("SELECT \(Self.waiters)", []).count }

    /// Waits until so many sessions wait for a lock, and returns their number.
    ///
    /// On a connection that statements share one gives up after some milliseconds (`lock_timeout`), and waits anew on
    /// another: who looks in between sees none.
    @discardableResult public func waitForWaiters(_ count: Int = 1) async throws -> Int {
        var seen = 0
        try await waitUntil("\(count) sessions that wait for a lock") {
            seen = try waiterCount()
            return seen >= count
        }
        return seen
    }

    /// Runs a statement in the transaction, which the waiters see when they go on.
    public func execute(_ statement: String, _ values: [String?] = []) throws(AdminFailure) {
        try holder.execute(statement, values)
    }

    /// Lets the rows go.
    public func commit() throws(AdminFailure) { try holder.execute("COMMIT") }
}
