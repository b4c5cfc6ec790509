import Domain
import Postgres

/// What every change of a person's factors does, within its transaction.
enum FactorRowStore {
    /// One change at a time: what counts and then adds must not be outrun.
    ///
    /// - Parameter right: what the person makes it by; nil where somebody else does.
    /// - Returns: false when the team has no such person.
    /// - Throws: `SessionRight.Over`, `PostgresFailure`.
    @discardableResult
    static func lock(
        _ subject: Subject,
        by right: SessionRight? = nil,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws -> Bool {
        try await UserStore.lock(subject, by: right, in: team, transaction)
    }

    /// Where mail reaches the person.
    static func address(
        of subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> EmailAddress? {
        let rows = try await transaction.query(
            "SELECT email FROM users WHERE team_id = \(team) AND sub = \(subject)"
        )
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Whether the person has a factor still.
    static func hasFactor(
        _ subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        try await !transaction.query(
            """
            SELECT FROM totp_secrets WHERE team_id = \(team) AND sub = \(subject)
            UNION ALL
            SELECT FROM passkeys WHERE team_id = \(team) AND sub = \(subject)
            """
        )
        .isEmpty
    }

    static func deleteTOTP(
        of subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) -> Bool {
        try await transaction.query(
            "DELETE FROM totp_secrets WHERE team_id = \(team) AND sub = \(subject)"
        )
        .changed > 0
    }

    static func deleteRecoveryCodes(
        of subject: Subject,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws(PostgresFailure) {
        try await transaction.query(
            "DELETE FROM recovery_codes WHERE team_id = \(team) AND sub = \(subject)"
        )
    }

    /// After a factor went: sign-ins under way that it may have proved end, and codes that stand in for nothing go too.
    ///
    /// - Throws: `FactorRefusal.lastOne` where one has to stay.
    static func settle(
        _ subject: Subject,
        keepsOne: Bool,
        in team: TeamID,
        _ transaction: borrowing Transaction
    ) async throws {
        try await transaction.query(UserStore.endingSignIns(of: subject, in: team))
        guard try await !hasFactor(subject, in: team, transaction) else { return }
        if keepsOne { throw FactorRefusal.lastOne }
        try await deleteRecoveryCodes(of: subject, in: team, transaction)
    }
}
