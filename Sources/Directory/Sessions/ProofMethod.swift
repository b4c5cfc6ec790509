public import Bytes
public import Postgres

/// How a person proves who they are.
public enum ProofMethod: String, SQLText, CaseIterable, Sendable {
    case password
    /// A link that was mailed to them: as good as a password, and no more.
    case mailedLink = "mailed_link"
    /// Good as the only proof, and beside a password.
    case passkey
    /// At Apple, who has asked for two factors.
    case apple
    /// A time-based code (RFC 6238).
    case totp
    case recoveryCode = "recovery_code"

    /// Whether more than the knowledge of a password was shown.
    ///
    /// A passkey that comes first was unlocked by PIN or biometrics, so it is two factors in one.
    public var isStrong: Bool { self != .password && self != .mailedLink }

    /// That somebody was proved at a provider.
    public init(_ provider: ProviderID) {
        switch provider {
        case .apple: self = .apple
        }
    }
}

/// A proof that was given.
public struct Proof: Hashable, Sendable {
    public let method: ProofMethod
    public let at: Timestamp

    public init(_ method: ProofMethod, at: Timestamp) {
        self.method = method
        self.at = at
    }
}
