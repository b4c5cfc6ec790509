import EventLoop

/// An open transaction.
///
/// It cannot outlive the closure that borrows it.
public struct Transaction: ~Copyable {
    private let connection: Connection
    private let timeout: Duration

    init(connection: Connection, timeout: Duration) {
        self.connection = connection
        self.timeout = timeout
    }

    /// Runs one statement; after a failure every further one fails too, until the transaction ends.
    @discardableResult public func query(_ sql: SQL) async throws(PostgresFailure) -> Rows { try await send([sql]) }

    /// Runs statements in order in one round trip.
    ///
    /// - Returns: the rows of the last statement.
    @discardableResult public func query(_ statements: [SQL]) async throws(PostgresFailure) -> Rows {
        try await send(statements)
    }

    func begin(_ setting: Setting?) async throws(PostgresFailure) {
        _ = try await send(["BEGIN"] + (setting.map { [$0.statement] } ?? []))
    }

    /// Commits; throws if the server answers COMMIT with ROLLBACK because a statement had failed.
    func commit() async throws(PostgresFailure) {
        let rows = try await send(["COMMIT"])
        guard rows.command == "COMMIT" else { throw .refused(.rolledBack) }
    }

    /// Rolls back; if that fails the connection is closed, and the server rolls back.
    func rollBack() async {
        do throws(PostgresFailure) { _ = try await send(["ROLLBACK"]) } catch { connection.lose("rollback failed") }
    }

    private func send(_ statements: [SQL]) async throws(PostgresFailure) -> Rows {
        let deadline = MonotonicTime.now() + timeout.nanoseconds
        let outcome = await unsafe withUnsafeContinuation { continuation in
            connection.send(statements, deadline: deadline) { unsafe continuation.resume(returning: $0) }
        }
        return try outcome.answer()
    }
}
