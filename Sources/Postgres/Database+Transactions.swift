import EventLoop

extension Database {
    /// Runs `body` in one transaction under `setting`: committed when it returns, rolled back when it throws.
    ///
    /// - Parameter row: the row that `body` locks first; other work of this loop that locks it waits before it gets a
    ///   connection.
    public func transaction<Value>(
        setting: Setting? = nil, locking row: LockedRow? = nil, _ body: (borrowing Transaction) async throws -> Value
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
            value = try await body(transaction)
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
