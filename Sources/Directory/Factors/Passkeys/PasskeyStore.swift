import Core
public import Crypto
public import Platform
public import Postgres

/// Passkeys of a team's users.
public struct PasskeyStore: Sendable {
    /// Most transports that a browser may name; there are a handful.
    private static let transportLimit = 8

    /// Registered passkey to be stored.
    struct New: Sendable {
        let credential: Credential
        let name: PasskeyName
        let transports: [String]
        /// Whether the user must not have a factor yet.
        let isFirst: Bool
        /// Right by which the user adds it.
        let right: EnrolmentRight?
    }

    /// Stored passkey that an assertion is checked against.
    struct Known: Sendable {
        let user: User
        let key: CredentialKey
        let signCount: UInt32
        let isBackupEligible: Bool
        let handle: [UInt8]?
    }

    let database: TeamDatabase
    private let recoveryCodes: RecoveryCodeStore
    private let random: RandomSource

    public init(_ database: TeamDatabase, keyRing: KeyRing, random: RandomSource = .system) {
        self.database = database
        recoveryCodes = RecoveryCodeStore(database, keyRing: keyRing, random: random)
        self.random = random
    }

    /// Passkeys of a user, oldest first.
    public func list(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [Passkey] {
        let rows = try await database.query(
            """
            SELECT \(Passkey.columns) FROM passkeys
            WHERE team_id = \(team) AND sub = \(subject)
            ORDER BY created_at, credential_id
            """, in: team)
        return try rows.all(Passkey.init)
    }

    /// User handle of WebAuthn for a user of this team, drawn at random the first time.
    public func handle(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> [UInt8] {
        // Twice at most, because a handle that another request has inserted is visible to the next statement.
        for _ in 0..<2 {
            let rows = try await database.query(
                """
                WITH made AS (
                    INSERT INTO passkey_handles (team_id, sub, handle)
                    VALUES (\(team), \(subject), \(random.bytes(32)))
                    ON CONFLICT (team_id, sub) DO NOTHING
                    RETURNING handle
                )
                SELECT handle FROM made
                UNION ALL
                SELECT handle FROM passkey_handles WHERE team_id = \(team) AND sub = \(subject)
                LIMIT 1
                """, in: team)
            if var row = rows.first { return try row.next() }
        }
        throw .unreadable(column: 0, as: "a user handle")
    }

    /// Adds a passkey and uses up the challenge that it answered.
    ///
    /// - Returns: the user's recovery codes, if these are the first.
    /// - Throws: `FactorRefusal`, `PostgresFailure`.
    func add(
        _ new: New, to subject: Subject, spending challenge: SpentChallenge, in team: TeamID, from origin: Origin,
        at now: Timestamp, telling mailer: FactorMailer?
    ) async throws -> [RecoveryCode]? {
        try await database.change(by: subject, in: team, from: origin) { change in
            guard try await UserStore.lock(subject, change) else { throw FactorRefusal.unknown }
            try await new.right?.check(change)
            guard try await !change.query(challenge.insertion(in: team)).isEmpty else { throw FactorRefusal.notProved }
            if new.isFirst, try await FactorRowStore.hasFactor(subject, change) { throw FactorRefusal.notFirst }
            let others: SQL = "passkeys WHERE team_id = \(team) AND sub = \(subject)"
            guard try await Quota.passkeys.hasRoom(beside: others, change) else { throw FactorRefusal.tooMany }
            let added = try await change.query(Self.insertion(of: new, to: subject, in: team, at: now))
            guard added.changed == 1 else { throw FactorRefusal.taken }
            let name = new.name.text
            try await change.record("factor.added", .user(subject), to: ["kind": "passkey", "name": .string(name)])
            try await mailer?.send(.passkeyAdded(name: name), to: subject, change)
            return try await recoveryCodes.makeFirst(for: subject, at: now, change)
        }
    }

    private static func insertion(of new: New, to subject: Subject, in team: TeamID, at now: Timestamp) -> SQL {
        let credential = new.credential
        let transports = new.transports.prefix(transportLimit).filter { $0.utf8.count <= 32 }
        return """
            INSERT INTO passkeys (
                team_id, credential_id, sub, name, algorithm, public_key, sign_count, is_backup_eligible,
                is_backed_up, transports, created_at
            ) VALUES (
                \(team), \(credential.id), \(subject), \(new.name.text),
                \(credential.key.algorithm.rawValue), \(credential.key.bytes), \(Int(credential.signCount)),
                \(credential.isBackupEligible), \(credential.isBackedUp), \(Array(transports)), \(now)
            )
            ON CONFLICT (team_id, credential_id) DO NOTHING
            """
    }

    /// Renames a passkey.
    ///
    /// - Parameter right: session by which the user renames it.
    /// - Throws: `FactorRefusal.unknown`, `SessionRight.Ended`, `PostgresFailure`.
    public func rename(
        _ id: PasskeyID, of subject: Subject, to name: PasskeyName, by right: SessionRight? = nil, in team: TeamID,
        from origin: Origin
    ) async throws {
        try await database.change(by: subject, in: team, from: origin) { change in
            try await UserStore.lock(subject, by: right, change)
            let old = try await Self.name(of: id, of: subject, change)
            guard old != name.text else { return }
            try await change.query(
                """
                UPDATE passkeys SET name = \(name.text)
                WHERE team_id = \(team) AND sub = \(subject) AND sha256(credential_id) = \(id.hash)
                """)
            let event = change.event(
                "factor.renamed", on: .user(subject), before: ["kind": "passkey", "name": .string(old)],
                after: ["kind": "passkey", "name": .string(name.text)])
            try await change.record(event)
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
        try await database.change(by: subject, in: team, from: origin) { change in
            try await UserStore.lock(subject, by: right, change)
            let name = try await Self.name(of: id, of: subject, change)
            try await change.query(
                """
                DELETE FROM passkeys
                WHERE team_id = \(team) AND sub = \(subject) AND sha256(credential_id) = \(id.hash)
                """)
            try await FactorRowStore.settle(subject, keepsOne: keepsOne, change)
            try await change.record("factor.removed", .user(subject), from: ["kind": "passkey", "name": .string(name)])
            try await mailer?.send(.passkeyRemoved(name: name), to: subject, change)
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

    private static func name(of id: PasskeyID, of subject: Subject, _ change: borrowing Change) async throws -> String {
        let rows = try await change.query(
            """
            SELECT name FROM passkeys
            WHERE team_id = \(change.team) AND sub = \(subject) AND sha256(credential_id) = \(id.hash)
            """)
        guard var row = rows.first else { throw FactorRefusal.unknown }
        return try row.next()
    }
}
