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
        return try await database.change(in: team, by: actor, from: origin) { change in
            guard try await SigningKeyRotationStore.lock(change) <= moment else { return false }
            let start = moment + Self.lead
            try await SigningKeyStore.insert(key, activeFrom: start, keyRing: keyRing, change)
            try await SigningKeyRotationStore.retireOthers(than: start, change)
            try await Self.record("signing_key.rotated", key, start, reason, change)
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
        try await database.change(in: team, by: actor, from: origin) { change in
            _ = try await SigningKeyRotationStore.lock(change)
            try await SigningKeyRotationStore.removeAll(change)
            try await SigningKeyStore.insert(key, activeFrom: moment, keyRing: keyRing, change)
            try await Self.record("signing_key.replaced", key, moment, reason, change)
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

    private static func record(
        _ action: String, _ key: RSASigningKey, _ start: Timestamp, _ reason: String, _ change: borrowing Change
    ) async throws(PostgresFailure) {
        try await change.record(
            action, AuditEvent.Target("team", change.team.rawValue),
            to: [
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
    static func lock(_ change: borrowing Change) async throws(PostgresFailure) -> Timestamp {
        try await change.lockTeam()
        let rows = try await change.query("SELECT max(active_from) FROM signing_keys WHERE team_id = \(change.team)")
        guard var row = rows.first else { return TokenLifetime.never }
        return try row.next(Timestamp?.self) ?? TokenLifetime.never
    }

    /// Sets the retirement of all earlier keys to `start`, when the new key begins to sign.
    static func retireOthers(than start: Timestamp, _ change: borrowing Change) async throws(PostgresFailure) {
        try await change.query(
            """
            UPDATE signing_keys SET retires_at = \(start)
            WHERE team_id = \(change.team) AND active_from < \(start) AND (retires_at IS NULL OR retires_at > \(start))
            """)
    }

    static func removeAll(_ change: borrowing Change) async throws(PostgresFailure) {
        try await change.query("DELETE FROM signing_keys WHERE team_id = \(change.team)")
    }
}
