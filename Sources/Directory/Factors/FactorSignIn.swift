public import Core
public import Crypto
public import Platform
import Postgres

/// Authenticates users by the codes of their second factor.
public struct FactorSignIn: Sendable {
    private let database: TeamDatabase
    private let totp: TOTPStore
    private let recoveryCodes: RecoveryCodeStore

    public init(_ database: TeamDatabase, keyRing: KeyRing) {
        self.database = database
        totp = TOTPStore(database, keyRing: keyRing)
        recoveryCodes = RecoveryCodeStore(database, keyRing: keyRing)
    }

    /// Code as entered.
    public enum Code: Sendable {
        case totp(String)
        case recovery(String)

        var kind: FactorKind {
            switch self {
            case .totp: .totp
            case .recovery: .recoveryCode
            }
        }
    }

    /// Compares a code and uses it up, unless too many wrong ones came before.
    ///
    /// - Parameter interaction: ID of what the five tries are for, such as an interaction.
    /// - Throws: `PostgresFailure`.
    public func prove(
        _ code: Code, of subject: Subject, interaction: String, in team: TeamID, from origin: Origin,
        at now: Timestamp = .now()
    ) async throws -> FactorResult {
        let (signIn, account) = (LimitKey.signIn(interaction, of: subject), LimitKey.account(subject))
        do {
            try await database.count(
                [RateLimit.Use(.failedCodes, by: signIn), RateLimit.Use(.failedProofs, by: account)], in: team, at: now)
        } catch let refusal as TooManyRequests {
            return refusal.limit == .failedCodes ? .interactionExpired : .locked(refusal)
        }
        guard try await use(code, of: subject, in: team, from: origin, at: now) else {
            let event = AuditEvent(
                "factor.refused", by: .system("sign-in"), on: .user(subject), from: origin,
                after: ["kind": .string(code.kind.rawValue)], outcome: .refused)
            try await database.query(event.insertion(in: team), in: team, durability: .relaxed)
            return .wrong
        }
        try await database.release(
            [.all(of: .failedCodes, by: signIn), .all(of: .failedProofs, by: account)], in: team, at: now)
        return .proved
    }

    private func use(_ code: Code, of subject: Subject, in team: TeamID, from origin: Origin, at now: Timestamp)
        async throws(PostgresFailure) -> Bool
    {
        switch code {
        case .totp(let text): return try await totp.use(text, of: subject, in: team, at: now)
        case .recovery(let text):
            guard let code = RecoveryCode(text: text) else { return false }
            return try await recoveryCodes.use(code, of: subject, in: team, from: origin, at: now)
        }
    }
}

/// Result of entering a code.
public enum FactorResult: Hashable, Sendable {
    case proved
    /// Wrong, used before, or not the user's; the answer does not reveal which.
    case wrong
    /// Five wrong codes: this interaction restarts.
    case interactionExpired
    /// Too many wrong codes overall; nothing was compared.
    case locked(TooManyRequests)
}
