import Core
public import Platform
public import Postgres

/// Steps common to all changes of a user's factors, within their transaction.
///
/// Each change locks the user first: a change that counts rows before it adds one must not be overtaken.
enum FactorRowStore {
    /// Email address of the user.
    static func address(of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure) -> EmailAddress?
    {
        let rows = try await change.query("SELECT email FROM users WHERE team_id = \(change.team) AND sub = \(subject)")
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Whether the user still has a factor.
    static func hasFactor(_ subject: Subject, _ change: borrowing Change) async throws(PostgresFailure) -> Bool {
        try await !change.query(all(of: subject, in: change.team)).isEmpty
    }

    /// Statement that yields a row for each factor of a user.
    static func all(of subject: Subject, in team: TeamID) -> SQL {
        """
        SELECT FROM totp_secrets WHERE team_id = \(team) AND sub = \(subject)
        UNION ALL
        SELECT FROM passkeys WHERE team_id = \(team) AND sub = \(subject)
        """
    }

    static func deleteTOTP(of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure) -> Bool {
        let deletion: SQL = "DELETE FROM totp_secrets WHERE team_id = \(change.team) AND sub = \(subject)"
        return try await change.query(deletion).changed > 0
    }

    static func deleteRecoveryCodes(of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure) {
        try await change.query("DELETE FROM recovery_codes WHERE team_id = \(change.team) AND sub = \(subject)")
    }

    /// Completes the removal of a factor: ends interactions that it may have proved, and deletes recovery codes without
    /// a factor.
    ///
    /// - Throws: `FactorRefusal.lastOne` if a factor has to remain.
    static func settle(_ subject: Subject, keepsOne: Bool, _ change: borrowing Change) async throws {
        try await change.query(UserStore.endingSignIns(of: subject, in: change.team))
        guard try await !hasFactor(subject, change) else { return }
        if keepsOne { throw FactorRefusal.lastOne }
        try await deleteRecoveryCodes(of: subject, change)
    }
}

/// All second factors of a user together.
public struct FactorStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) { self.database = database }

    /// Second factors of a user, read in one statement.
    public func enrolled(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> EnrolledFactors {
        let rows = try await database.query(
            """
            SELECT \(EnrolledFactors.columns) FROM (SELECT \(team)::text AS team_id, \(subject)::text AS sub) s
            """, in: team)
        return try rows.only(EnrolledFactors.init)
    }

    /// Authenticator app and passkeys of a user, oldest first.
    public func list(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [FactorSummary] {
        let rows = try await database.query(
            """
            SELECT \(FactorKind.totp), NULL, confirmed_at AS added_at, last_used_at FROM totp_secrets
            WHERE team_id = \(team) AND sub = \(subject)
            UNION ALL
            SELECT \(FactorKind.passkey), name, created_at, last_used_at FROM passkeys
            WHERE team_id = \(team) AND sub = \(subject)
            ORDER BY added_at
            """, in: team)
        return try rows.all(FactorSummary.init)
    }

    /// Removes all factors of a user who cannot use them any more.
    ///
    /// The user's sessions end too, because the request for this may not have come from the user.
    ///
    /// - Parameter mailer: notifies the user by mail; nil for no mail.
    /// - Returns: whether the user had a factor.
    /// - Throws: `PostgresFailure`.
    @discardableResult public func reset(
        of subject: Subject, reason: String, in team: TeamID, by actor: Actor, from origin: Origin,
        telling mailer: FactorMailer? = nil
    ) async throws -> Bool {
        try await database.change(in: team, by: actor, from: origin, locking: .person(subject, in: team)) { change in
            try await UserStore.lock(subject, change)
            let totp = try await FactorRowStore.deleteTOTP(of: subject, change)
            let passkeys = try await change.query(Self.passkeyDeletion(of: subject, in: team))
            guard totp || passkeys.changed > 0 else { return false }
            try await FactorRowStore.deleteRecoveryCodes(of: subject, change)
            try await change.query(UserStore.endingSignIns(of: subject, in: team))
            let deletion = SessionStore.deletion(of: subject, except: nil, in: team)
            let ended = try await change.query(deletion).changed
            let after: [String: JSONValue] = [
                "totp": .boolean(totp), "passkeys": .integer(Int64(passkeys.changed)),
                "endedSessions": .integer(Int64(ended)), "reason": .string(reason),
            ]
            try await change.record("factors.reset", .user(subject), to: after)
            try await mailer?.send(.reset, to: subject, change)
            return true
        }
    }

    /// Deletes all factors of a user, without an audit event of its own.
    public static func removeAll(of subject: Subject, _ change: borrowing Change) async throws(PostgresFailure) {
        _ = try await FactorRowStore.deleteTOTP(of: subject, change)
        try await change.query(passkeyDeletion(of: subject, in: change.team))
        try await FactorRowStore.deleteRecoveryCodes(of: subject, change)
    }

    private static func passkeyDeletion(of subject: Subject, in team: TeamID) -> SQL {
        "DELETE FROM passkeys WHERE team_id = \(team) AND sub = \(subject)"
    }
}
