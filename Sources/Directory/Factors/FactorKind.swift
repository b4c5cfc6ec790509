public import Postgres

/// Kind of second factor that a user can be asked for.
public enum FactorKind: String, SQLText, CaseIterable, Sendable {
    case totp
    case passkey
    case recoveryCode = "recovery_code"

    public var method: ProofMethod {
        switch self {
        case .totp: .totp
        case .passkey: .passkey
        case .recoveryCode: .recoveryCode
        }
    }
}
