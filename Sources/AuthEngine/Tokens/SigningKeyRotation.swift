import Audit
public import Bytes
public import Crypto
import Directory
public import Domain
import Postgres

/// Replaces signing keys: the next one is published a day before it signs, and the one before stays published until its
/// last token has expired.
public struct SigningKeyRotation: Sendable {
    /// How long a key is published before it signs: clients keep key sets for hours.
    public static let lead = Duration.seconds(86_400)
    /// How long a key signs before the schedule puts another in its place.
    public static let period = Duration.seconds(90 * 86_400)
    /// How long a key that nobody needs any more is kept to be looked at.
    static let memory = Duration.seconds(30 * 86_400)

    let database: TeamDatabase
    let keyRing: KeyRing
    let generate: @Sendable (TeamID) async throws -> RSASigningKey

    /// What came of asking for a key.
    public enum Outcome: Equatable, Sendable {
        case done
        /// One is published already that has yet to sign.
        case waiting
        /// People of the team have had as many made as it may within an hour; no key was made.
        case limited(retryAfter: Duration)
    }

    /// Keys that people of a team may have made within `window`, whichever process they ask: each costs a core some
    /// tenths of a second.
    public static let keysPerWindow = 5
    static let window = Duration.seconds(3600)

    /// - Parameter generate: makes a key for a team away from the loop, whose core it would keep for a tenth of a second.
    public init(
        _ database: TeamDatabase,
        keyRing: KeyRing,
        generate: @escaping @Sendable (TeamID) async throws -> RSASigningKey
    ) {
        self.database = database
        self.keyRing = keyRing
        self.generate = generate
    }

    /// Publishes the next key, which signs from a day after `moment` on.
    ///
    /// Whether it may be made is looked at before it is made, and once more when it is to be stored.
    ///
    /// - Throws: `KeyFailure`, `PostgresFailure`, and what `generate` throws.
    public func rotate(
        in team: TeamID,
        at moment: Timestamp,
        reason: String,
        by actor: Actor,
        from origin: Origin
    ) async throws -> Outcome {
        if let newest = try await SigningKeyRotationStore(database: database).newest(in: team),
            newest > moment
        {
            return .waiting
        }
        if let wait = try await charge(team, at: moment) { return .limited(retryAfter: wait) }
        let isNew = try await publishNext(in: team, at: moment, reason: reason, by: actor, from: origin)
        return isNew ? .done : .waiting
    }

    /// Counts a key that somebody asked for, and tells how long to wait when it is one too many.
    private func charge(_ team: TeamID, at moment: Timestamp) async throws -> Duration? {
        try await LimitStore(database).charge(
            .team("signing-key"),
            limit: Self.keysPerWindow,
            window: Self.window,
            in: team,
            at: moment
        )
    }

    private func publishNext(
        in team: TeamID,
        at moment: Timestamp,
        reason: String,
        by actor: Actor,
        from origin: Origin
    ) async throws -> Bool {
        let key = try await generate(team)
        return try await database.transaction(in: team) { transaction in
            guard try await SigningKeyRotationStore.lock(team, transaction) <= moment else { return false }
            let start = moment + Self.lead
            try await SigningKeyStore.insert(
                key,
                for: team,
                activeFrom: start,
                keyRing: keyRing,
                in: transaction
            )
            try await SigningKeyRotationStore.retireOthers(than: start, in: team, transaction)
            let event = Self.event("signing_key.rotated", key, start, reason, team, actor, origin)
            try await event.record(in: team, transaction)
            return true
        }
    }

    /// Puts a new key in the place of all others at once: what they signed verifies no more.
    ///
    /// For a key that somebody else may have.
    ///
    /// - Returns: `done` or `limited`.
    /// - Throws: `KeyFailure`, `PostgresFailure`, and what `generate` throws.
    public func replace(
        in team: TeamID,
        at moment: Timestamp,
        reason: String,
        by actor: Actor,
        from origin: Origin
    ) async throws -> Outcome {
        if let wait = try await charge(team, at: moment) { return .limited(retryAfter: wait) }
        let key = try await generate(team)
        try await database.transaction(in: team) { transaction in
            _ = try await SigningKeyRotationStore.lock(team, transaction)
            try await SigningKeyRotationStore.removeAll(in: team, transaction)
            try await SigningKeyStore.insert(
                key,
                for: team,
                activeFrom: moment,
                keyRing: keyRing,
                in: transaction
            )
            let event = Self.event("signing_key.replaced", key, moment, reason, team, actor, origin)
            try await event.record(in: team, transaction)
        }
        return .done
    }

    /// Does for each of these teams what `keep` does; one team's trouble is not the others'.
    ///
    /// - Parameter tell: called with each whose keys changed.
    /// - Throws: the first failure, once every team had its turn.
    public func keepAll(
        _ teams: [TeamID],
        at clock: () -> Timestamp,
        _ tell: (TeamID) -> Void
    ) async throws {
        var failure: (any Error)?
        for team in teams {
            do {
                if try await keep(team, at: clock()) { tell(team) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Rotates where the newest key has signed for its period, and forgets keys that nobody needs any more.
    ///
    /// - Returns: whether anything changed.
    public func keep(_ team: TeamID, at moment: Timestamp) async throws -> Bool {
        let store = SigningKeyRotationStore(database: database)
        let hasForgotten = try await store.forget(
            retiredBefore: moment - TokenLifetime.longestSigned - Self.memory,
            in: team
        )
        guard let newest = try await store.newest(in: team), newest <= moment - Self.period else {
            return hasForgotten
        }
        return try await publishNext(
            in: team,
            at: moment,
            reason: "every 90 days",
            by: .system("keys.rotate"),
            from: .local
        ) || hasForgotten
    }

    private static func event(
        _ action: String,
        _ key: RSASigningKey,
        _ start: Timestamp,
        _ reason: String,
        _ team: TeamID,
        _ actor: Actor,
        _ origin: Origin
    ) -> AuditEvent {
        AuditEvent(
            action,
            by: actor,
            on: AuditEvent.Target("team", team.rawValue),
            from: origin,
            after: [
                "keyID": .string(SigningKeyStore.keyID(of: key)), "signsFrom": .string(start.description),
                "reason": .string(reason),
            ]
        )
    }
}
