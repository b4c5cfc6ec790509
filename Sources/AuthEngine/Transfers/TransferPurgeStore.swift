public import Domain
public import Postgres

/// Removes people who came with an app and were not asked for within the window, for all teams at once.
public struct TransferPurgeStore: Sendable {
    private let database: SystemDatabase

    public init(_ database: SystemDatabase) {
        self.database = database
    }

    public func purge() async throws(PostgresFailure) {
        try await database.query("SELECT pippin_purge_transferred_people()")
    }
}
