public import Postgres

/// Removes what has ended, for all teams at once, by a function of the database whose owner names it: a batch at a time,
/// so that no statement is long.
public struct BatchedPurge: Sendable {
    /// Rows dealt with by one statement: it is to end well within its time on a slow disk, too, and others wait behind it.
    private static let batch = 1000

    private let function: StaticString

    /// - Parameter function: takes how many rows it may deal with at most, and returns how many it has dealt with: removed, but
    ///   for those that it keeps for good.
    public init(function: StaticString) {
        self.function = function
    }

    /// Deals with all there is, and returns with how much.
    @discardableResult
    public func run(on database: SystemDatabase) async throws(PostgresFailure) -> Int {
        var total = 0
        var done = 0
        repeat {
            let statement: SQL = "SELECT \(SQL(stringLiteral: function))(\(Self.batch)::integer)"
            guard var row = try await database.query(statement).first else { break }
            done = try row.next()
            total += done
        } while done == Self.batch
        return total
    }
}
