public import Domain
public import Postgres

/// What a team owes to others, and has to be met before its rows may go.
public protocol TeamObligations: Sendable {
    /// Takes up what was given up before: once, in the transaction that closes the team.
    func begin(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure)

    /// Puts up to `batch` of them on their way, and returns how many: none when all are.
    func pursue(in team: TeamID, batch: Int) async throws(PostgresFailure) -> Int

    /// Writes down those that can never be met, unless something still goes on.
    ///
    /// - Returns: false when the team has to wait.
    func conclude(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> Bool
}
