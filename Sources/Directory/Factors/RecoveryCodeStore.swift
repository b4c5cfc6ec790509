public import Core
public import Crypto
public import Platform
import Postgres

/// Recovery codes of a team's users.
public struct RecoveryCodeStore: Sendable {
    private let database: TeamDatabase
    private let keys: [HMACSHA256]
    private let random: RandomSource

    public init(_ database: TeamDatabase, keyRing: KeyRing, random: RandomSource = .system) {
        self.database = database
        keys = keyRing.deriveAll(purpose: "recovery-codes").map { HMACSHA256(key: $0) }
        self.random = random
    }

    /// Replaces a user's recovery codes by ten new ones.
    ///
    /// - Parameters:
    ///   - right: session by which the user requests them.
    ///   - mailer: notifies the user by mail; nil for no mail.
    /// - Returns: the codes, which cannot be read again; nil for a user without a factor.
    /// - Throws: `SessionRight.Ended`, `PostgresFailure`.
    public func regenerate(
        for subject: Subject, in team: TeamID, by actor: Actor, with right: SessionRight? = nil, from origin: Origin,
        at now: Timestamp = .now(), telling mailer: FactorMailer? = nil
    ) async throws -> [RecoveryCode]? {
        try await database.change(in: team, by: actor, from: origin, locking: .person(subject, in: team)) { change in
            guard try await UserStore.lock(subject, by: right, change),
                try await FactorRowStore.hasFactor(subject, change)
            else { return nil }
            try await change.query(UserStore.endingSignIns(of: subject, in: team))
            let codes = try await replace(for: subject, at: now, change)
            try await change.record(
                "recovery_codes.regenerated", .user(subject), to: ["count": .integer(Int64(codes.count))])
            try await mailer?.send(.recoveryCodesRenewed, to: subject, change)
            return codes
        }
    }

    /// Creates a user's first set, together with their first factor; nil if the user has a set already.
    func makeFirst(for subject: Subject, at now: Timestamp, _ change: borrowing Change) async throws(PostgresFailure)
        -> [RecoveryCode]?
    {
        let known = try await change.query(
            "SELECT FROM recovery_codes WHERE team_id = \(change.team) AND sub = \(subject) LIMIT 1")
        guard known.isEmpty else { return nil }
        return try await replace(for: subject, at: now, change)
    }

    /// Uses a code up, in one statement with its event.
    ///
    /// - Returns: whether the user had the code, unused.
    func use(_ code: RecoveryCode, of subject: Subject, in team: TeamID, from origin: Origin, at now: Timestamp)
        async throws(PostgresFailure) -> Bool
    {
        let actor = Actor.user(subject, of: team)
        let event = AuditEvent("recovery_code.used", by: actor, on: .user(subject), from: origin)
        for key in keys {
            let rows = try await database.query(
                """
                WITH used AS (
                    UPDATE recovery_codes SET used_at = \(now)
                    WHERE team_id = \(team) AND sub = \(subject)
                        AND code_hash = \(hash(code, of: subject, in: team, key)) AND used_at IS NULL
                    RETURNING 1
                ), audit AS (
                    \(event.insertion(in: team, when: "FROM used"))
                )
                SELECT FROM used
                """, in: team)
            if !rows.isEmpty { return true }
        }
        return false
    }

    private func replace(for subject: Subject, at now: Timestamp, _ change: borrowing Change)
        async throws(PostgresFailure) -> [RecoveryCode]
    {
        let team = change.team
        try await FactorRowStore.deleteRecoveryCodes(of: subject, change)
        var codes: [RecoveryCode] = []
        while codes.count < RecoveryCode.setCount {
            let code = RecoveryCode(random: random)
            if !codes.contains(code) { codes.append(code) }
        }
        for code in codes {
            try await change.query(
                """
                INSERT INTO recovery_codes (team_id, sub, code_hash, created_at)
                VALUES (\(team), \(subject), \(hash(code, of: subject, in: team, keys[0])), \(now))
                """)
        }
        return codes
    }

    private func hash(_ code: RecoveryCode, of subject: Subject, in team: TeamID, _ key: HMACSHA256) -> [UInt8] {
        key.code(for: Array("\(team)\n\(subject)\n\(code.characters)".utf8))
    }
}

/// Code that replaces a lost factor, once.
///
/// Ten characters out of 32: 50 random bits, which cannot be guessed with five tries per interaction.
public struct RecoveryCode: Hashable, Sendable {
    /// Number of codes in a set.
    public static let setCount = 10
    static let length = 10

    /// Lower-case letters and digits, without the dash.
    let characters: String

    init(random: RandomSource) { characters = random.text(Self.length, from: .readable) }

    /// Parses a code as people type it, with 0 for o and 1 for l.
    public init?(text: String) {
        guard text.utf8.count <= 128 else { return nil }
        let typed = Array(text.typedOneTimeCode.utf8)
        guard typed.count == Self.length else { return nil }
        let read = typed.map { character in
            switch character {
            case UInt8(ascii: "0"): UInt8(ascii: "o")
            case UInt8(ascii: "1"): UInt8(ascii: "l")
            default: character
            }
        }
        guard read.allSatisfy({ Self.isPart($0) }) else { return nil }
        characters = String(decoding: read, as: UTF8.self)
    }

    /// Code as displayed and entered, in two halves.
    public var text: String { "\(characters.prefix(5))-\(characters.suffix(5))" }

    private static func isPart(_ character: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
            || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(character)
    }
}
