public import Domain
public import Postgres

/// Removes notices that were kept long enough, for all teams at once.
public struct NoticePurgeStore: Sendable {
    /// Rows removed by one statement, so that none is long.
    private static let batch = 5000

    private let database: SystemDatabase

    public init(_ database: SystemDatabase) {
        self.database = database
    }

    public func purge() async throws(PostgresFailure) {
        while true {
            let rows = try await database.query("SELECT pippin_purge_notices(\(Self.batch)::integer)")
            guard var row = rows.first, try row.next(Int.self) == Self.batch else { return }
        }
    }
}
