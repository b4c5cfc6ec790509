public import Postgres

/// Deletes expired rows of all teams in batches, so that no statement runs long.
///
/// A database function deletes the rows; the module that owns them names the function.
public struct BatchedPurge: Sendable {
    private let function: StaticString

    /// - Parameter function: takes the maximum number of rows to process, and returns the number processed: deleted,
    ///   except for rows that it keeps permanently.
    public init(function: StaticString) { self.function = function }

    /// Runs batches until one is not full.
    ///
    /// - Parameter batch: rows per statement, few enough to finish in time on a slow disk, because other statements wait
    ///   behind it.
    /// - Returns: the number of rows processed.
    @discardableResult public func run(on database: SystemDatabase, batch: Int = 1000) async throws(PostgresFailure)
        -> Int
    {
        var total = 0
        var done = 0
        repeat {
            let statement: SQL = "SELECT \(SQL(stringLiteral: function))(\(batch)::integer)"
            guard var row = try await database.query(statement).first else { break }
            done = try row.next()
            total += done
        } while done == batch
        return total
    }
}
