public import Core
public import Platform
public import Postgres

/// Proof that was given, with its time.
public struct Proof: Hashable, Sendable {
    public let method: ProofMethod
    public let at: Timestamp

    public init(_ method: ProofMethod, at: Timestamp) {
        self.method = method
        self.at = at
    }
}

/// Method by which a user authenticates.
public enum ProofMethod: SQLText, Hashable, Sendable {
    case password
    /// Link mailed to the user: counts as a password, and no more.
    case mailedLink
    /// Sufficient as the only proof, and as the second factor after a password.
    case passkey
    /// A time-based code (RFC 6238).
    case totp
    case recoveryCode
    /// Sign-in at a provider.
    case provider(ProviderID)

    /// Sign-in at Apple, which has required two factors.
    public static let apple = ProofMethod.provider(.apple)

    public init?(rawValue: String) {
        switch rawValue {
        case "password": self = .password
        case "mailed_link": self = .mailedLink
        case "passkey": self = .passkey
        case "totp": self = .totp
        case "recovery_code": self = .recoveryCode
        default:
            guard let provider = ProviderID(rawValue: rawValue) else { return nil }
            self = .provider(provider)
        }
    }

    public var rawValue: String {
        switch self {
        case .password: "password"
        case .mailedLink: "mailed_link"
        case .passkey: "passkey"
        case .totp: "totp"
        case .recoveryCode: "recovery_code"
        case .provider(let id): id.rawValue
        }
    }

    /// Whether the method proves more than the knowledge of a password.
    ///
    /// A passkey as the first proof was unlocked by PIN or biometrics, so it is two factors in one. Whether a provider of
    /// another release asks for two is unknown here, so it counts for one.
    public var isStrong: Bool {
        switch self {
        case .password, .mailedLink: false
        case .provider(let id): id == .apple
        case .passkey, .totp, .recoveryCode: true
        }
    }

    public var isOfProvider: Bool { if case .provider = self { true } else { false } }
}
