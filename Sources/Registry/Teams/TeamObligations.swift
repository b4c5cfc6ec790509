public import Platform
public import Postgres

/// Obligations of a team to third parties that must be met before its rows are deleted.
public protocol TeamObligations: Sendable {
    /// Resumes obligations that were given up; called once, in the transaction that closes the team.
    func begin(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)

    /// Starts up to `batch` obligations, and returns how many: zero when all are started.
    func continueDeletion(in team: TeamID, batch: Int) async throws(PostgresFailure) -> Int

    /// Records the obligations that can never be met, unless some are still in progress.
    ///
    /// - Returns: false when the team's deletion has to wait.
    func conclude(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> Bool
}
