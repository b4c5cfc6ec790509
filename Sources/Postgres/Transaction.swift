import EventLoop

/// An open transaction.
///
/// Stores borrow it, so that it cannot outlive the closure that it was lent to.
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

    /// Runs `body` with a handle of its own of this transaction, to make it a part of a larger value.
    public func lend<Value>(_ body: (consuming Transaction) async throws -> Value) async throws -> Value {
        try await body(Transaction(connection: connection, timeout: timeout))
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
        do throws(PostgresFailure) { _ = try await send(["ROLLBACK"]) } catch { connection.close("rollback failed") }
    }

    private func send(_ statements: [SQL]) async throws(PostgresFailure) -> Rows {
        let deadline = MonotonicTime.now() + timeout.nanoseconds
        let outcome = await unsafe withUnsafeContinuation { continuation in
            connection.send(statements, deadline: deadline, isWhole: false) {
                unsafe continuation.resume(returning: $0)
            }
        }
        return try outcome.answer()
    }
}

extension Transaction {
    /// Repeats a statement that deletes a bounded number of rows until none is left.
    ///
    /// A statement that deletes fewer may have waited for another transaction that was deleting the others.
    ///
    /// - Parameter statement: the statement for at most the given number of rows.
    /// - Returns: the number of rows deleted.
    public borrowing func deleteInBatches(_ statement: (_ limit: Int) -> SQL) async throws(PostgresFailure) -> Int {
        let statement = statement(50_000)
        var (total, removed) = (0, 0)
        repeat {
            removed = try await query(statement).changed
            total += removed
        } while removed > 0
        return total
    }
}

extension Database {
    /// Runs `body` in one transaction under `setting`: committed when it returns, rolled back when it throws.
    ///
    /// - Parameters:
    ///   - row: the row that `body` locks first; other work of this loop that locks it waits before it gets a connection.
    ///   - body: owns its handle of the transaction, to make it a part of a larger value; another one is kept for COMMIT
    ///     and ROLLBACK.
    public func transaction<Value>(
        setting: Setting? = nil, locking row: LockedRow? = nil, _ body: (consuming Transaction) async throws -> Value
    ) async throws -> Value {
        loop.preconditionCurrent()
        statementCount += 1
        if outage.isLong { throw PostgresFailure.unavailable(problem) }
        let deadline = MonotonicTime.now() + configuration.timeout.nanoseconds
        if let row { try await turn(at: row, deadline) }
        defer { if let row { rows.leave(row) } }
        let owner = setting?.owner ?? ""
        let connection = try await exclusiveConnection(for: owner, deadline)
        defer { exclusive.release(connection, of: owner) }
        let transaction = Transaction(connection: connection, timeout: configuration.timeout)
        let value: Value
        do {
            try await transaction.begin(setting)
            value = try await body(Transaction(connection: connection, timeout: configuration.timeout))
        } catch {
            await transaction.rollBack()
            throw error
        }
        try await transaction.commit()
        return value
    }

    private func turn(at row: LockedRow, _ deadline: Int64) async throws(PostgresFailure) {
        let failure = await unsafe withUnsafeContinuation { continuation in
            rows.enter(row, deadline: deadline) { unsafe continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }

    private func exclusiveConnection(for owner: String, _ deadline: Int64) async throws(PostgresFailure) -> Connection {
        let outcome = await unsafe withUnsafeContinuation { continuation in
            exclusive.acquire(for: owner, deadline: deadline) { unsafe continuation.resume(returning: $0) }
        }
        return try outcome.get()
    }
}
