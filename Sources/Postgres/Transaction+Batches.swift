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
