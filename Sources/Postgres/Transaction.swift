import EventLoop

/// One open transaction.
///
/// It cannot be kept beyond the closure that borrows it.
public struct Transaction: ~Copyable {
    private let connection: Connection
    private let patience: Duration

    init(connection: Connection, patience: Duration) {
        self.connection = connection
        self.patience = patience
    }

    /// Runs one statement; after a failure every further one fails too, until the transaction ends.
    @discardableResult
    public func query(_ sql: SQL) async throws(PostgresFailure) -> Rows {
        try await send([sql])
    }

    /// Runs statements one after the other in one round trip.
    ///
    /// - Returns: the rows of the last one.
    @discardableResult
    public func query(_ statements: [SQL]) async throws(PostgresFailure) -> Rows {
        try await send(statements)
    }

    func begin(_ setting: Setting?) async throws(PostgresFailure) {
        _ = try await send(["BEGIN"] + (setting.map { [$0.statement] } ?? []))
    }

    /// An aborted transaction answers COMMIT with ROLLBACK, and that is no success.
    func commit() async throws(PostgresFailure) {
        let rows = try await send(["COMMIT"])
        guard rows.command == "COMMIT" else { throw .refused(.rolledBack) }
    }

    /// A connection whose rollback fails is given up, and the server rolls back.
    func rollBack() async {
        do throws(PostgresFailure) {
            _ = try await send(["ROLLBACK"])
        } catch {
            connection.lose("rollback failed")
        }
    }

    private func send(_ statements: [SQL]) async throws(PostgresFailure) -> Rows {
        let deadline = MonotonicTime.now() + patience.nanoseconds
        let outcome = await unsafe withUnsafeContinuation { continuation in
            connection.send(statements, deadline: deadline) { unsafe continuation.resume(returning: $0) }
        }
        return try outcome.answer()
    }
}
