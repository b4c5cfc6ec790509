public import Domain
public import Postgres

/// Removes what has ended, for all teams at once, a batch at a time so that no statement is long.
public struct PurgeStore: Sendable {
    /// Rows removed by one statement.
    private static let batch = 5000

    private let database: SystemDatabase

    public init(_ database: SystemDatabase) {
        self.database = database
    }

    /// Receipts and dead jobs that were kept long enough, and returns how many.
    @discardableResult
    public func purgeJobs() async throws(PostgresFailure) -> Int {
        try await repeated("SELECT pippin_purge_jobs(\(Self.batch)::integer)")
    }

    /// Sessions that have expired, and returns how many.
    @discardableResult
    public func purgeSessions() async throws(PostgresFailure) -> Int {
        try await repeated("SELECT pippin_purge_sessions(\(Self.batch)::integer)")
    }

    /// Counts of limits whose window is over, and returns how many.
    @discardableResult
    public func purgeLimits() async throws(PostgresFailure) -> Int {
        try await repeated("SELECT pippin_purge_limits(\(Self.batch)::integer)")
    }

    /// Mailed links that nobody followed in time, and returns how many.
    @discardableResult
    public func purgeMailedLinks() async throws(PostgresFailure) -> Int {
        try await repeated("SELECT pippin_purge_mailed_links(\(Self.batch)::integer)")
    }

    /// What native apps handed over, and whom they announced, where nobody needs it any more; returns how much.
    @discardableResult
    public func purgeNativeHandovers() async throws(PostgresFailure) -> Int {
        let handovers = try await repeated("SELECT pippin_purge_native_handovers(\(Self.batch)::integer)")
        return try await handovers
            + repeated("SELECT pippin_purge_provider_announcements(\(Self.batch)::integer)")
    }

    /// Trips to providers that are over, rows of revoked tokens and notices that were kept long enough; returns how many.
    @discardableResult
    public func purgeProviders() async throws(PostgresFailure) -> Int {
        let trips = try await repeated("SELECT pippin_purge_provider_trips(\(Self.batch)::integer)")
        let tokens = try await repeated("SELECT pippin_purge_provider_tokens(\(Self.batch)::integer)")
        return try await trips + tokens
            + repeated("SELECT pippin_purge_provider_notices(\(Self.batch)::integer)")
    }

    private func repeated(_ statement: SQL) async throws(PostgresFailure) -> Int {
        var total = 0
        var removed = 0
        repeat {
            guard var row = try await database.query(statement).first else { break }
            removed = try row.next()
            total += removed
        } while removed == Self.batch
        return total
    }
}
