public import Core
public import Platform
public import Postgres

/// Method by which a user authenticates.
public enum ProofMethod: String, SQLText, CaseIterable, Sendable {
    case password
    /// Link mailed to the user: counts as a password, and no more.
    case mailedLink = "mailed_link"
    /// Sufficient as the only proof, and as the second factor after a password.
    case passkey
    /// Sign-in at Apple, which has required two factors.
    case apple
    /// A time-based code (RFC 6238).
    case totp
    case recoveryCode = "recovery_code"

    /// Whether the method proves more than the knowledge of a password.
    ///
    /// A passkey as the first proof was unlocked by PIN or biometrics, so it is two factors in one.
    public var isStrong: Bool { self != .password && self != .mailedLink }

    /// Method of a user who authenticated at a provider.
    public init(_ provider: ProviderID) {
        switch provider {
        case .apple: self = .apple
        }
    }
}

/// Proof that was given, with its time.
public struct Proof: Hashable, Sendable {
    public let method: ProofMethod
    public let at: Timestamp

    public init(_ method: ProofMethod, at: Timestamp) {
        self.method = method
        self.at = at
    }
}
