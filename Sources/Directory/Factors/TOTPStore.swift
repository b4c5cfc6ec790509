public import Core
public import Crypto
public import Platform
public import Postgres

/// Secrets of authenticator apps.
public struct TOTPStore: Sendable {
    /// Authenticator app of a user, without its secret.
    public struct Summary: Hashable, Sendable {
        public let confirmedAt: Timestamp
        public let lastUsedAt: Timestamp?
    }

    private let database: TeamDatabase
    private let sealer: Sealer
    private let recoveryCodes: RecoveryCodeStore

    public init(_ database: TeamDatabase, keyRing: KeyRing, random: RandomSource = .system) {
        self.database = database
        sealer = keyRing.sealer(purpose: "totp-secrets")
        recoveryCodes = RecoveryCodeStore(database, keyRing: keyRing, random: random)
    }

    /// Authenticator app of a user, or nil.
    public func find(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> Summary? {
        let rows = try await database.query(
            """
            SELECT confirmed_at, last_used_at FROM totp_secrets
            WHERE team_id = \(team) AND sub = \(subject)
            """, in: team)
        guard var row = rows.first else { return nil }
        return Summary(confirmedAt: try row.next(), lastUsedAt: try row.next())
    }

    /// Adds the authenticator app with `secret` if `code` is its code; it replaces an app that the user had before.
    ///
    /// The code is used up by this and cannot be used to sign in.
    ///
    /// - Parameters:
    ///   - isFirst: whether the user must not have a factor yet, because they have proved none.
    ///   - right: right by which the user adds it; nil if the caller is responsible for that.
    ///   - mailer: notifies the user by mail; nil for no mail.
    /// - Returns: the user's recovery codes, if these are the first.
    /// - Throws: `FactorRefusal.wrongCode`, `.notFirst`, `.expired`, `.unknown` if the team has no such user;
    ///   `PostgresFailure`.
    public func enrol(
        _ secret: TOTPSecret, provedBy code: String, of subject: Subject, isFirst: Bool = false,
        by right: EnrolmentRight? = nil, in team: TeamID, from origin: Origin, at now: Timestamp = .now(),
        telling mailer: FactorMailer? = nil
    ) async throws -> [RecoveryCode]? {
        guard let step = TOTP.step(ofCode: code, secret: secret, atSeconds: now.seconds) else {
            throw FactorRefusal.wrongCode
        }
        return try await database.change(by: subject, in: team, from: origin) { change in
            guard try await UserStore.lock(subject, change) else { throw FactorRefusal.unknown }
            try await right?.check(change)
            if isFirst, try await FactorRowStore.hasFactor(subject, change) { throw FactorRefusal.notFirst }
            let had = try await FactorRowStore.deleteTOTP(of: subject, change)
            if had { try await change.query(UserStore.endingSignIns(of: subject, in: team)) }
            try await change.query(insertion(of: secret, for: subject, step: step, in: team, at: now))
            try await change.record(had ? "factor.replaced" : "factor.added", .user(subject), to: ["kind": "totp"])
            try await mailer?.send(had ? .totpReplaced : .totpAdded, to: subject, change)
            return try await recoveryCodes.makeFirst(for: subject, at: now, change)
        }
    }

    /// Sets a secret that was created elsewhere; one that the user has already stays as it is.
    ///
    /// The user's sessions end, so that the user signs in again with the stronger proof.
    ///
    /// - Throws: `PostgresFailure`.
    public func set(_ secret: TOTPSecret, of subject: Subject, at now: Timestamp = .now(), _ change: borrowing Change)
        async throws(PostgresFailure)
    {
        let team = change.team
        if try await self.secret(of: subject, in: team, change.transaction)?.bytes == secret.bytes { return }
        let had = try await FactorRowStore.deleteTOTP(of: subject, change)
        try await change.query(insertion(of: secret, for: subject, step: 0, in: team, at: now))
        try await change.query(UserStore.endingSignIns(of: subject, in: team))
        let ended = try await change.query(SessionStore.deletion(of: subject, except: nil, in: team)).changed
        try await change.record(
            had ? "factor.replaced" : "factor.added", .user(subject),
            to: ["kind": "totp", "endedSessions": .integer(Int64(ended))])
    }

    /// Removes a user's authenticator app.
    ///
    /// - Parameters:
    ///   - keepsOne: whether the user has to keep a factor.
    ///   - right: session by which the user removes it.
    ///   - mailer: notifies the user by mail; nil for no mail.
    /// - Throws: `FactorRefusal.unknown`, `.lastOne`; `SessionRight.Ended`; `PostgresFailure`.
    public func remove(
        of subject: Subject, keepsOne: Bool, by right: SessionRight? = nil, in team: TeamID, from origin: Origin,
        telling mailer: FactorMailer? = nil
    ) async throws {
        try await database.change(by: subject, in: team, from: origin) { change in
            try await UserStore.lock(subject, by: right, change)
            guard try await FactorRowStore.deleteTOTP(of: subject, change) else { throw FactorRefusal.unknown }
            try await FactorRowStore.settle(subject, keepsOne: keepsOne, change)
            try await change.record("factor.removed", .user(subject), from: ["kind": "totp"])
            try await mailer?.send(.totpRemoved, to: subject, change)
        }
    }

    /// Uses a code up, in one statement: neither it nor an earlier one works again.
    ///
    /// - Returns: whether it was the user's and unused.
    func use(_ code: String, of subject: Subject, in team: TeamID, at now: Timestamp) async throws(PostgresFailure)
        -> Bool
    {
        guard let secret = try await secret(of: subject, in: team),
            let step = TOTP.step(ofCode: code, secret: secret, atSeconds: now.seconds)
        else { return false }
        return try await database.query(
            """
            UPDATE totp_secrets SET last_step = \(step), last_used_at = \(now)
            WHERE team_id = \(team) AND sub = \(subject) AND last_step < \(step)
            """, in: team
        ).changed == 1
    }

    private func secret(of subject: Subject, in team: TeamID) async throws(PostgresFailure) -> TOTPSecret? {
        try secret(try await database.query(Self.selection(subject, team), in: team), of: subject, in: team)
    }

    private func secret(of subject: Subject, in team: TeamID, _ transaction: borrowing Transaction)
        async throws(PostgresFailure) -> TOTPSecret?
    { try secret(try await transaction.query(Self.selection(subject, team)), of: subject, in: team) }

    private static func selection(_ subject: Subject, _ team: TeamID) -> SQL {
        "SELECT secret_sealed FROM totp_secrets WHERE team_id = \(team) AND sub = \(subject)"
    }

    private func secret(_ rows: Rows, of subject: Subject, in team: TeamID) throws(PostgresFailure) -> TOTPSecret? {
        guard var row = rows.first else { return nil }
        let sealed: [UInt8] = try row.next()
        guard let bytes = sealer.open(sealed, context: Self.place(of: subject, in: team)),
            let secret = TOTPSecret(bytes)
        else { throw .unreadable(column: 0, as: "a sealed secret") }
        return secret
    }

    private func insertion(of secret: TOTPSecret, for subject: Subject, step: Int, in team: TeamID, at now: Timestamp)
        -> SQL
    {
        let sealed = sealer.seal(secret.bytes, context: Self.place(of: subject, in: team))
        return """
            INSERT INTO totp_secrets (team_id, sub, secret_sealed, last_step, confirmed_at)
            VALUES (\(team), \(subject), \(sealed), \(step), \(now))
            """
    }

    private static func place(of subject: Subject, in team: TeamID) -> [String] {
        [team.rawValue, "totp_secrets", subject.rawValue, "secret_sealed"]
    }
}

/// Secret displayed to a user who is about to add an authenticator app.
///
/// The form contains it sealed, so that nothing is stored for users who leave the page.
public struct TOTPOffer: Sendable {
    public let secret: TOTPSecret
    /// Sealed secret for the form; it opens for this user only, for one hour.
    public let sealed: String

    /// Creates and opens offers.
    public struct Maker: Sendable {
        private static let life = Duration.minutes(60)

        private let sealer: Sealer
        private let random: RandomSource

        public init(keyRing: KeyRing, random: RandomSource = .system) {
            sealer = keyRing.sealer(purpose: "totp-offers")
            self.random = random
        }

        /// Creates an offer with a new secret for a user.
        public func make(for subject: Subject, in team: TeamID, at now: Timestamp = .now()) -> TOTPOffer {
            let secret = TOTPSecret(random: random)
            let end = UInt64((now + Self.life).seconds)
            let plain = (0..<8).map { UInt8(truncatingIfNeeded: end >> (56 - 8 * UInt64($0))) } + secret.bytes
            let sealed = sealer.seal(plain, context: [team.rawValue, subject.rawValue], random: random)
            return TOTPOffer(secret: secret, sealed: Base64URL.encode(sealed))
        }

        /// Opens the offer in a form; nil if it is another user's, too old or invalid.
        public func open(_ sealed: String, for subject: Subject, in team: TeamID, at now: Timestamp = .now())
            -> TOTPOffer?
        {
            guard sealed.utf8.count <= 400, let bytes = Base64URL.decode(sealed),
                let plain = sealer.open(bytes, context: [team.rawValue, subject.rawValue]), plain.count > 8
            else { return nil }
            let end = plain.prefix(8).reduce(0) { $0 << 8 | Int($1) }
            guard now.seconds < end, let secret = TOTPSecret(Array(plain.dropFirst(8))) else { return nil }
            return TOTPOffer(secret: secret, sealed: sealed)
        }
    }
}
