import Audit
import Bytes
public import Domain
public import Postgres

/// All second factors of a person together.
public struct FactorStore: Sendable {
    private let database: TeamDatabase

    public init(_ database: TeamDatabase) {
        self.database = database
    }

    /// Which factors a person has, in one statement.
    public func enrolled(
        of subject: Subject,
        in team: TeamID
    ) async throws(PostgresFailure) -> EnrolledFactors {
        let rows = try await database.query(
            """
            SELECT
                EXISTS (SELECT FROM totp_secrets WHERE team_id = \(team) AND sub = \(subject)),
                (SELECT count(*) FROM passkeys WHERE team_id = \(team) AND sub = \(subject)),
                (SELECT count(*) FROM recovery_codes
                    WHERE team_id = \(team) AND sub = \(subject) AND used_at IS NULL)
            """,
            in: team
        )
        guard var row = rows.first else { return .none }
        return EnrolledFactors(
            hasTOTP: try row.next(),
            passkeyCount: try row.next(),
            recoveryCodesLeft: try row.next()
        )
    }

    /// The person's app and passkeys, the oldest first.
    public func list(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [FactorSummary] {
        let rows = try await database.query(
            """
            SELECT \(FactorKind.totp), NULL, confirmed_at AS added_at, last_used_at FROM totp_secrets
            WHERE team_id = \(team) AND sub = \(subject)
            UNION ALL
            SELECT \(FactorKind.passkey), name, created_at, last_used_at FROM passkeys
            WHERE team_id = \(team) AND sub = \(subject)
            ORDER BY added_at
            """,
            in: team
        )
        return try rows.all(FactorSummary.init)
    }

    /// Takes every factor from a person who cannot use them any more.
    ///
    /// Their sessions end too: whoever asked for this may not have been the person.
    ///
    /// - Parameter post: tells the person; nil tells nobody.
    /// - Returns: whether there was anything to take.
    /// - Throws: `PostgresFailure`.
    @discardableResult
    public func reset(
        of subject: Subject,
        reason: String,
        in team: TeamID,
        by actor: Actor,
        from origin: Origin,
        telling post: FactorPost? = nil
    ) async throws -> Bool {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await FactorRowStore.lock(subject, in: team, transaction)
            let totp = try await FactorRowStore.deleteTOTP(of: subject, in: team, transaction)
            let passkeys = try await transaction.query(
                "DELETE FROM passkeys WHERE team_id = \(team) AND sub = \(subject)"
            )
            guard totp || passkeys.changed > 0 else { return false }
            try await FactorRowStore.deleteRecoveryCodes(of: subject, in: team, transaction)
            try await transaction.query(UserStore.endingSignIns(of: subject, in: team))
            let deletion = SessionStore.deletion(of: subject, except: nil, in: team)
            let ended = try await transaction.query(deletion).changed
            let after: JSONValue = [
                "totp": .boolean(totp), "passkeys": .integer(Int64(passkeys.changed)),
                "endedSessions": .integer(Int64(ended)), "reason": .string(reason),
            ]
            try await AuditEvent("factors.reset", by: actor, on: .user(subject), from: origin, after: after)
                .record(in: team, transaction)
            try await post?.tell(.reset, to: subject, in: team, transaction)
            return true
        }
    }
}
