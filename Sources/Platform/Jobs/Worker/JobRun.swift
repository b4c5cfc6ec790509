public import Core
public import Postgres

/// One attempt at a job, as passed to its handler.
public struct JobRun: Sendable {
    /// Error: this attempt no longer holds the job, because its lease ended or the job was cancelled.
    public struct Lost: Error, Sendable {}

    public let claim: JobClaim
    let policy: JobPolicy

    public var team: TeamID { claim.team }
    public var id: JobID { claim.id }
    /// Whether the job is dead if this attempt fails.
    public var isLast: Bool { claim.attempt >= policy.attempts }

    /// Ends the job with success in the handler's own transaction, so that the job's effects in the database happen
    /// exactly once.
    ///
    /// - Returns: the outcome that the handler returns once its transaction is committed.
    /// - Throws: `Lost`, which must roll back the transaction; `PostgresFailure`.
    public func succeed(_ result: JSONValue? = nil, _ transaction: borrowing Transaction) async throws -> JobOutcome {
        guard try await transaction.query(claim.success(result, policy)).changed == 1 else { throw Lost() }
        return .ended
    }
}
