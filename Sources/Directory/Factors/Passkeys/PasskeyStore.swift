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
        try await database.transaction(in: team, locking: .person(subject, in: team)) { transaction in
            guard try await FactorRowStore.lock(subject, in: team, transaction) else { throw FactorRefusal.unknown }
            try await new.right?.check(transaction)
            guard try await !transaction.query(challenge.insertion(in: team)).isEmpty else {
                throw FactorRefusal.notProved
            }
            if new.isFirst, try await FactorRowStore.hasFactor(subject, in: team, transaction) {
                throw FactorRefusal.notFirst
            }
            let others: SQL = "passkeys WHERE team_id = \(team) AND sub = \(subject)"
            guard try await Quota.passkeys.hasRoom(beside: others, transaction) else { throw FactorRefusal.tooMany }
            let added = try await transaction.query(Self.insertion(of: new, to: subject, in: team, at: now))
            guard added.changed == 1 else { throw FactorRefusal.taken }
            let after: JSONValue = ["kind": "passkey", "name": .string(new.name.text)]
            let actor = Actor.user(subject, of: team)
            try await AuditEvent("factor.added", by: actor, on: .user(subject), from: origin, after: after).record(
                in: team, transaction)
            try await mailer?.send(.passkeyAdded(name: new.name.text), to: subject, in: team, transaction)
            return try await recoveryCodes.makeFirst(for: subject, in: team, at: now, transaction)
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
}
