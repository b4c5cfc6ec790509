import Platform
import Postgres

/// Steps common to all changes of a user's factors, within their transaction.
enum FactorRowStore {
    /// Locks the user, so that changes run one at a time: a change that counts rows before it adds one must not be
    /// overtaken.
    ///
    /// - Parameter right: session by which the user makes the change; nil if another party makes it.
    /// - Returns: false if the team has no such user.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    @discardableResult static func lock(
        _ subject: Subject, by right: SessionRight? = nil, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws -> Bool { try await UserStore.lock(subject, by: right, in: team, transaction) }

    /// Email address of the user.
    static func address(of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> EmailAddress?
    {
        let rows = try await transaction.query("SELECT email FROM users WHERE team_id = \(team) AND sub = \(subject)")
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Whether the user still has a factor.
    static func hasFactor(_ subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Bool
    {
        try await !transaction.query(
            """
            SELECT FROM totp_secrets WHERE team_id = \(team) AND sub = \(subject)
            UNION ALL
            SELECT FROM passkeys WHERE team_id = \(team) AND sub = \(subject)
            """
        ).isEmpty
    }

    static func deleteTOTP(of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> Bool
    { try await transaction.query("DELETE FROM totp_secrets WHERE team_id = \(team) AND sub = \(subject)").changed > 0 }

    static func deleteRecoveryCodes(of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    { try await transaction.query("DELETE FROM recovery_codes WHERE team_id = \(team) AND sub = \(subject)") }

    /// Completes the removal of a factor: ends interactions that it may have proved, and deletes recovery codes without
    /// a factor.
    ///
    /// - Throws: `FactorRefusal.lastOne` if a factor has to remain.
    static func settle(_ subject: Subject, keepsOne: Bool, in team: TeamID, _ transaction: borrowing Transaction)
        async throws
    {
        try await transaction.query(UserStore.endingSignIns(of: subject, in: team))
        guard try await !hasFactor(subject, in: team, transaction) else { return }
        if keepsOne { throw FactorRefusal.lastOne }
        try await deleteRecoveryCodes(of: subject, in: team, transaction)
    }
}
