public import Postgres

/// Database access before a team is known: a few tables without personal data, under the role `pippin_system`.
///
/// For work across teams only: members and teams, jobs, periodic checks, audit seals, registry versions, operator pages.
public struct SystemDatabase: Sendable {
    private let database: Database

    /// - Parameter database: a database whose connections take the role `pippin_system`.
    public init(_ database: Database) { self.database = database }

    @discardableResult public func query(_ sql: SQL) async throws(PostgresFailure) -> Rows {
        try await database.query(sql)
    }

    /// Runs statements in order, in one transaction and one round trip.
    @discardableResult public func query(_ sql: [SQL]) async throws(PostgresFailure) -> Rows {
        try await database.query(sql)
    }
}
