public import Postgres

/// Deletes expired rows of all teams, by the rules of the table `retention`: which rows of which table, and at what age.
public struct Retention: Sendable {
    private let database: SystemDatabase
    private let batch: Int

    /// - Parameter batch: rows per statement, few enough to finish in time on a slow disk, because rows may be large and
    ///   other statements wait behind it.
    public init(_ database: SystemDatabase, batch: Int = 500) {
        self.database = database
        self.batch = batch
    }

    /// The names of all rules.
    public func rules() async throws(PostgresFailure) -> [String] {
        try await database.query("SELECT name FROM retention ORDER BY name").column()
    }

    /// Applies every rule, in turns of one batch, so that one with millions of rows keeps no other waiting.
    ///
    /// - Throws: the first failure, after all rules were applied.
    public func apply() async throws(PostgresFailure) {
        var (left, failure): ([String], PostgresFailure?) = (try await rules(), nil)
        while !left.isEmpty {
            let turn = left
            left = []
            for rule in turn {
                do throws(PostgresFailure) { if try await applyOnce(rule) == batch { left.append(rule) } } catch {
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
    }

    /// Deletes what has expired by one rule, until a batch is not full; returns the number of rows.
    @discardableResult public func apply(_ rule: String) async throws(PostgresFailure) -> Int {
        var (total, deleted) = (0, 0)
        repeat {
            deleted = try await applyOnce(rule)
            total += deleted
        } while deleted == batch
        return total
    }

    private func applyOnce(_ rule: String) async throws(PostgresFailure) -> Int {
        try await database.query("SELECT pippin_apply_retention(\(rule), \(batch)::integer)").firstValue() ?? 0
    }
}
