import Core
import Crypto
public import Platform
import Postgres

// Changes and use of passkeys.
extension PasskeyStore {
    /// Renames a passkey.
    ///
    /// - Parameter right: session by which the user renames it.
    /// - Throws: `FactorRefusal.unknown`, `SessionRight.Ended`, `PostgresFailure`.
    public func rename(
        _ id: PasskeyID, of subject: Subject, to name: PasskeyName, by right: SessionRight? = nil, in team: TeamID,
        from origin: Origin
    ) async throws {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await FactorRowStore.lock(subject, by: right, in: team, transaction)
            let old = try await Self.name(of: id, of: subject, in: team, transaction)
            guard old != name.text else { return }
            try await transaction.query(
                """
                UPDATE passkeys SET name = \(name.text)
                WHERE team_id = \(team) AND sub = \(subject) AND sha256(credential_id) = \(id.hash)
                """)
            try await AuditEvent(
                "factor.renamed", by: .user(subject, of: team), on: .user(subject), from: origin,
                before: ["kind": "passkey", "name": .string(old)],
                after: ["kind": "passkey", "name": .string(name.text)]
            ).record(in: team, transaction)
        }
    }

    /// Removes a passkey.
    ///
    /// - Parameters:
    ///   - keepsOne: whether the user has to keep a factor.
    ///   - right: session by which the user removes it.
    ///   - mailer: notifies the user by mail; nil for no mail.
    /// - Throws: `FactorRefusal.unknown`, `.lastOne`; `SessionRight.Ended`; `PostgresFailure`.
    public func remove(
        _ id: PasskeyID, of subject: Subject, keepsOne: Bool, by right: SessionRight? = nil, in team: TeamID,
        from origin: Origin, telling mailer: FactorMailer? = nil
    ) async throws {
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            try await FactorRowStore.lock(subject, by: right, in: team, transaction)
            let name = try await Self.name(of: id, of: subject, in: team, transaction)
            try await transaction.query(
                """
                DELETE FROM passkeys
                WHERE team_id = \(team) AND sub = \(subject) AND sha256(credential_id) = \(id.hash)
                """)
            try await FactorRowStore.settle(subject, keepsOne: keepsOne, in: team, transaction)
            try await AuditEvent(
                "factor.removed", by: .user(subject, of: team), on: .user(subject), from: origin,
                before: ["kind": "passkey", "name": .string(name)]
            ).record(in: team, transaction)
            try await mailer?.send(.passkeyRemoved(name: name), to: subject, in: team, transaction)
        }
    }

    /// Passkey of a credential ID with its user; nil if no user of the team has it.
    func find(_ credentialID: [UInt8], in team: TeamID) async throws(PostgresFailure) -> Known? {
        let rows = try await database.query(
            """
            SELECT \(UserStore.columns), p.algorithm, p.public_key, p.sign_count, p.is_backup_eligible, h.handle
            FROM passkeys p
            JOIN users u ON u.team_id = p.team_id AND u.sub = p.sub
            LEFT JOIN passkey_handles h ON h.team_id = p.team_id AND h.sub = p.sub
            WHERE p.team_id = \(team) AND p.credential_id = \(credentialID)
            """, in: team)
        guard var row = rows.first else { return nil }
        let user = try User(&row)
        let number: Int = try row.next()
        guard let algorithm = CredentialKey.Algorithm(rawValue: number) else {
            throw .unreadable(column: 9, as: "an algorithm")
        }
        return Known(
            user: user, key: CredentialKey(algorithm, try row.next()),
            signCount: UInt32(clamping: try row.next(Int.self)), isBackupEligible: try row.next(),
            handle: try row.next())
    }

    /// Records the use of a passkey and uses its challenge up, in one statement.
    ///
    /// - Returns: false if the challenge was used before, or the counter has advanced meanwhile.
    func use(
        _ credentialID: [UInt8], _ assertion: Assertion, spending challenge: SpentChallenge, in team: TeamID,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Bool {
        let count = Int(assertion.signCount)
        return try await database.query(
            """
            WITH spent AS (\(challenge.insertion(in: team)))
            UPDATE passkeys
            SET sign_count = \(count), is_backed_up = \(assertion.isBackedUp), last_used_at = \(now)
            WHERE team_id = \(team) AND credential_id = \(credentialID)
                AND (sign_count < \(count) OR (sign_count = 0 AND \(count) = 0))
                AND EXISTS (SELECT FROM spent)
            """, in: team
        ).changed == 1
    }

    /// Records that a passkey may have been copied, and uses up the challenge that it answered.
    ///
    /// A client with the passkey can answer without limit: a response is recorded once, and as often as a wrong proof.
    func noteCopy(
        of subject: Subject, spending challenge: SpentChallenge, in team: TeamID, from origin: Origin, at now: Timestamp
    ) async throws {
        guard try await database.query(challenge.insertion(in: team), in: team).count > 0 else { return }
        let use = RateLimit.Use(.failedProofs, by: .signIn("copied passkey", of: subject))
        guard try await database.isWithin([use], in: team, at: now) else { return }
        let event = AuditEvent(
            "factor.refused", by: .system("sign-in"), on: .user(subject), from: origin,
            after: ["kind": "passkey", "reason": "the counter fell back: the key may have been copied"],
            outcome: .refused)
        try await database.query(event.insertion(in: team), in: team)
    }

    private static func name(
        of id: PasskeyID, of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction
    ) async throws -> String {
        let rows = try await transaction.query(
            """
            SELECT name FROM passkeys
            WHERE team_id = \(team) AND sub = \(subject) AND sha256(credential_id) = \(id.hash)
            """)
        guard var row = rows.first else { throw FactorRefusal.unknown }
        return try row.next()
    }
}
