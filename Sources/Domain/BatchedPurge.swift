public import Postgres

/// Removes what has ended, for all teams at once, by a function of the database whose owner names it: a batch at a time,
/// so that no statement is long.
public struct BatchedPurge: Sendable {
    /// Rows removed by one statement.
    private static let batch = 5000

    private let function: StaticString

    /// - Parameter function: takes how many rows it may remove at most, and returns how many it removed.
    public init(function: StaticString) {
        self.function = function
    }

    /// Removes all there is, and returns how much.
    @discardableResult
    public func run(on database: SystemDatabase) async throws(PostgresFailure) -> Int {
        var total = 0
        var removed = 0
        repeat {
            let statement: SQL = "SELECT \(SQL(stringLiteral: function))(\(Self.batch)::integer)"
            guard var row = try await database.query(statement).first else { break }
            removed = try row.next()
            total += removed
        } while removed == Self.batch
        return total
    }
}
