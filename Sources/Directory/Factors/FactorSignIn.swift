import Audit
public import Bytes
public import Crypto
public import Domain
public import Postgres

/// What came of a code.
public enum FactorResult: Hashable, Sendable {
    case proved
    /// Wrong, used before, or not the person's: nobody learns which.
    case wrong
    /// Five wrong ones: this sign-in begins anew.
    case attemptOver
    /// Too many wrong ones in all; nothing was compared.
    case locked(retryAfter: Duration)
}

/// Proves people by the codes of their second factor.
public struct FactorSignIn: Sendable {
    private let database: TeamDatabase
    private let limits: FactorLimitStore
    private let totp: TOTPStore
    private let recoveryCodes: RecoveryCodeStore

    public init(_ database: TeamDatabase, keyRing: KeyRing) {
        self.database = database
        limits = FactorLimitStore(database)
        totp = TOTPStore(database, keyRing: keyRing)
        recoveryCodes = RecoveryCodeStore(database, keyRing: keyRing)
    }

    /// A code as it was typed.
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
    /// - Parameter attempt: names what the five tries are for, such as a sign-in.
    public func prove(
        _ code: Code,
        of subject: Subject,
        attempt: String,
        in team: TeamID,
        from origin: Origin,
        at now: Timestamp = .now()
    ) async throws(PostgresFailure) -> FactorResult {
        let charge = try await limits.charge(subject, attempt: attempt, in: team, at: now)
        if charge.isAttemptOver { return .attemptOver }
        if let end = charge.lockedUntil { return .locked(retryAfter: end - now) }
        guard try await use(code, of: subject, in: team, from: origin, at: now) else {
            let event = AuditEvent(
                "factor.refused",
                by: .system("sign-in"),
                on: .user(subject),
                from: origin,
                after: ["kind": .string(code.kind.rawValue), "locks": .boolean(charge.isLast)],
                outcome: .refused
            )
            try await database.queryRelaxed(event.insertion(in: team), in: team)
            return .wrong
        }
        try await limits.clear(charge, in: team)
        return .proved
    }

    private func use(
        _ code: Code,
        of subject: Subject,
        in team: TeamID,
        from origin: Origin,
        at now: Timestamp
    ) async throws(PostgresFailure) -> Bool {
        switch code {
        case .totp(let text): return try await totp.use(text, of: subject, in: team, at: now)
        case .recovery(let text):
            guard let code = RecoveryCode(text: text) else { return false }
            return try await recoveryCodes.use(code, of: subject, in: team, from: origin, at: now)
        }
    }
}
