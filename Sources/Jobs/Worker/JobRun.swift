public import Bytes
public import Domain
public import Postgres

/// One attempt at a job, as its handler sees it.
public struct JobRun: Sendable {
    /// The job is no longer this attempt's: its lease ended, or somebody cancelled it.
    public struct Lost: Error, Sendable {}

    public let claim: JobClaim
    let policy: JobPolicy

    public var team: TeamID { claim.team }
    public var id: JobID { claim.id }
    /// Whether the job is dead when this attempt fails too.
    public var isLast: Bool { claim.attempt >= policy.attempts }

    /// Ends the job with success in the handler's own transaction, so that what the job does in the database is done
    /// exactly once.
    ///
    /// - Returns: what the handler returns once its transaction is committed.
    /// - Throws: `Lost`, which must end the transaction; `PostgresFailure`.
    public func succeed(
        _ result: JSONValue? = nil,
        _ transaction: borrowing Transaction
    ) async throws -> JobOutcome {
        guard try await transaction.query(claim.success(result, policy)).changed == 1 else { throw Lost() }
        return .ended
    }
}
