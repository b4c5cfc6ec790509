import EventLoop

// Searches read as much as there is of what somebody asked for, which only the database knows. On connections of their own
// they keep nobody waiting but one another, and owners take turns there.
extension Database {
    /// Runs one statement whose length depends on what is looked for, under `setting`.
    ///
    /// - Throws: `searchTimedOut`, when it has run for longer than `Configuration.searchPatience`.
    public func search(_ sql: SQL, setting: Setting? = nil) async throws(PostgresFailure) -> Rows {
        loop.preconditionCurrent()
        statementCount += 1
        if absence.isLong { throw .unavailable(problem) }
        let owner = setting?.owner ?? ""
        let deadline = MonotonicTime.now() + configuration.patience.nanoseconds
        let place = await unsafe withUnsafeContinuation { continuation in
            searching.acquire(for: owner, deadline: deadline) { unsafe continuation.resume(returning: $0) }
        }
        let connection = try place.get()
        defer { searching.release(connection, of: owner) }
        let statements = (setting.map { [$0.statement] } ?? []) + [sql]
        let end = MonotonicTime.now() + configuration.searchPatience.nanoseconds
        let outcome = await unsafe withUnsafeContinuation {
            (continuation: UnsafeContinuation<Segment.Outcome, Never>) in
            connection.send(statements, deadline: end) { unsafe continuation.resume(returning: $0) }
        }
        if case .failure(.timedOut) = outcome { throw .searchTimedOut }
        return try outcome.answer()
    }
}
