public import Core
public import Crypto
public import Platform
import Postgres

/// Replaces signing keys: the next key is published a day before it signs, and the previous one stays published until
/// its last token has expired.
public struct SigningKeyRotation: Sendable {
    /// Time between publication and first use of a key, because clients cache key sets for hours.
    public static let lead = Duration.seconds(86_400)
    /// Time for which a key signs before the scheduled rotation.
    public static let period = Duration.seconds(90 * 86_400)
    /// Time for which an expired key is kept for display.
    static let memory = Duration.seconds(30 * 86_400)

    let database: TeamDatabase
    let keyRing: KeyRing
    let generate: @Sendable (TeamID) async throws -> RSASigningKey

    /// The result of a request for a new key.
    public enum Outcome: Equatable, Sendable {
        case done
        /// A key is published already that does not sign yet.
        case waiting
    }

    /// - Parameter generate: makes a key outside the loop, which it would block for a tenth of a second.
    public init(
        _ database: TeamDatabase, keyRing: KeyRing, generate: @escaping @Sendable (TeamID) async throws -> RSASigningKey
    ) {
        self.database = database
        self.keyRing = keyRing
        self.generate = generate
    }

    /// Publishes the next key, which signs from one day after `moment`.
    ///
    /// Whether a key is due is checked before it is made, and again when it is stored.
    ///
    /// - Throws: `TooManyRequests`, `KeyFailure`, `PostgresFailure`, and errors of `generate`.
    public func rotate(in team: TeamID, at moment: Timestamp, reason: String, by actor: Actor, from origin: Origin)
        async throws -> Outcome
    {
        if let newest = try await SigningKeyRotationStore(database: database).newest(in: team), newest > moment {
            return .waiting
        }
        try await count(team, at: moment)
        let isNew = try await publishNext(in: team, at: moment, reason: reason, by: actor, from: origin)
        return isNew ? .done : .waiting
    }

    /// Counts a requested key, which takes a core some tenths of a second.
    private func count(_ team: TeamID, at moment: Timestamp) async throws {
        try await database.count([RateLimit.Use(.heavyWork, by: .team)], in: team, at: moment)
    }

    private func publishNext(
        in team: TeamID, at moment: Timestamp, reason: String, by actor: Actor, from origin: Origin
    ) async throws -> Bool {
        let key = try await generate(team)
        return try await database.transaction(in: team) { transaction in
            guard try await SigningKeyRotationStore.lock(team, transaction) <= moment else { return false }
            let start = moment + Self.lead
            try await SigningKeyStore.insert(key, for: team, activeFrom: start, keyRing: keyRing, in: transaction)
            try await SigningKeyRotationStore.retireOthers(than: start, in: team, transaction)
            let event = Self.event("signing_key.rotated", key, start, reason, team, actor, origin)
            try await event.record(in: team, transaction)
            return true
        }
    }

    /// Replaces all keys by a new one at once, so that tokens signed with them no longer verify.
    ///
    /// For a key that may be compromised.
    ///
    /// - Throws: `TooManyRequests`, `KeyFailure`, `PostgresFailure`, and errors of `generate`.
    public func replace(in team: TeamID, at moment: Timestamp, reason: String, by actor: Actor, from origin: Origin)
        async throws
    {
        try await count(team, at: moment)
        let key = try await generate(team)
        try await database.transaction(in: team) { transaction in
            _ = try await SigningKeyRotationStore.lock(team, transaction)
            try await SigningKeyRotationStore.removeAll(in: team, transaction)
            try await SigningKeyStore.insert(key, for: team, activeFrom: moment, keyRing: keyRing, in: transaction)
            let event = Self.event("signing_key.replaced", key, moment, reason, team, actor, origin)
            try await event.record(in: team, transaction)
        }
    }

    /// Publishes the next key when the newest has signed for its period, and deletes keys that expired long ago.
    ///
    /// - Returns: whether anything changed.
    public func keep(_ team: TeamID, at moment: Timestamp) async throws -> Bool {
        let store = SigningKeyRotationStore(database: database)
        let hasForgotten = try await store.forget(
            retiredBefore: moment - TokenLifetime.longestSigned - Self.memory, in: team)
        guard let newest = try await store.newest(in: team), newest <= moment - Self.period else { return hasForgotten }
        return try await publishNext(
            in: team, at: moment, reason: "every 90 days", by: .system("keys.rotate"), from: .local) || hasForgotten
    }

    private static func event(
        _ action: String, _ key: RSASigningKey, _ start: Timestamp, _ reason: String, _ team: TeamID, _ actor: Actor,
        _ origin: Origin
    ) -> AuditEvent {
        AuditEvent(
            action, by: actor, on: AuditEvent.Target("team", team.rawValue), from: origin,
            after: [
                "keyID": .string(SigningKeyStore.keyID(of: key)), "signsFrom": .string(start.description),
                "reason": .string(reason),
            ])
    }
}

/// Reads and writes the rows of the signing key rotation.
struct SigningKeyRotationStore: Sendable {
    let database: TeamDatabase

    /// The time at which the newest key begins to sign, or nil when there is no key.
    func newest(in team: TeamID) async throws(PostgresFailure) -> Timestamp? {
        let rows = try await database.query(
            "SELECT max(active_from) FROM signing_keys WHERE team_id = \(team)", in: team)
        guard var row = rows.first else { return nil }
        return try row.next()
    }

    /// Deletes keys retired before `moment`; returns whether there were any.
    func forget(retiredBefore moment: Timestamp, in team: TeamID) async throws(PostgresFailure) -> Bool {
        try await database.query(
            "DELETE FROM signing_keys WHERE team_id = \(team) AND retires_at < \(moment)", in: team
        ).changed > 0
    }

    /// Locks the team against concurrent rotations, and returns the time at which the newest key begins to sign.
    static func lock(_ team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) -> Timestamp {
        try await transaction.lock(team)
        let rows = try await transaction.query("SELECT max(active_from) FROM signing_keys WHERE team_id = \(team)")
        guard var row = rows.first else { return TokenRules.never }
        return try row.next(Timestamp?.self) ?? TokenRules.never
    }

    /// Sets the retirement of all earlier keys to `start`, when the new key begins to sign.
    static func retireOthers(than start: Timestamp, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure)
    {
        try await transaction.query(
            """
            UPDATE signing_keys SET retires_at = \(start)
            WHERE team_id = \(team) AND active_from < \(start) AND (retires_at IS NULL OR retires_at > \(start))
            """)
    }

    static func removeAll(in team: TeamID, _ transaction: borrowing Transaction) async throws(PostgresFailure) {
        try await transaction.query("DELETE FROM signing_keys WHERE team_id = \(team)")
    }
}
