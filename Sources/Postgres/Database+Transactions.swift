import EventLoop

extension Database {
    /// Runs `body` in one transaction under `setting`: committed when it returns, rolled back when it throws.
    public func transaction<Value>(
        setting: Setting? = nil,
        _ body: (borrowing Transaction) async throws -> Value
    ) async throws -> Value {
        loop.preconditionCurrent()
        statementCount += 1
        let connection = try await exclusiveConnection()
        defer { exclusive.release(connection) }
        let transaction = Transaction(connection: connection, patience: configuration.patience)
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

    private func exclusiveConnection() async throws(PostgresFailure) -> Connection {
        if absence.isLong { throw .unavailable(problem) }
        let deadline = MonotonicTime.now() + configuration.patience.nanoseconds
        let outcome = await unsafe withUnsafeContinuation { continuation in
            exclusive.acquire(deadline: deadline) { unsafe continuation.resume(returning: $0) }
        }
        return try outcome.get()
    }
}
