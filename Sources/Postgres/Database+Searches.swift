import EventLoop

// The duration of a search depends on the amount of matching data, which only the database knows. On their own
// connections searches delay only one another, and owners take turns there.
extension Database {
    /// Runs one statement whose duration depends on the search terms, under `setting`.
    ///
    /// - Throws: `searchTimedOut` if it runs for longer than `Configuration.searchTimeout`.
    public func search(_ sql: SQL, setting: Setting? = nil) async throws(PostgresFailure) -> Rows {
        loop.preconditionCurrent()
        statementCount += 1
        if outage.isLong { throw .unavailable(problem) }
        let owner = setting?.owner ?? ""
        let deadline = MonotonicTime.now() + configuration.timeout.nanoseconds
        let place = await unsafe withUnsafeContinuation { continuation in
            searching.acquire(for: owner, deadline: deadline) { unsafe continuation.resume(returning: $0) }
        }
        let connection = try place.get()
        defer { searching.release(connection, of: owner) }
        let statements = (setting.map { [$0.statement] } ?? []) + [sql]
        let end = MonotonicTime.now() + configuration.searchTimeout.nanoseconds
        let outcome = await unsafe withUnsafeContinuation {
            (continuation: UnsafeContinuation<Segment.Outcome, Never>) in
            connection.send(statements, deadline: end) { unsafe continuation.resume(returning: $0) }
        }
        if case .failure(.timedOut) = outcome { throw .searchTimedOut }
        return try outcome.answer()
    }
}
