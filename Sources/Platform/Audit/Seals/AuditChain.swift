public import Core

/// State of a team's seal chain: how far the log is sealed, and the result of the last verification.
public struct AuditChain: Sendable {
    /// Nil while no event is sealed.
    public let head: AuditHead?
    public let sealedAt: Timestamp?
    /// Events that are not sealed yet, counted up to 1,000.
    public let waiting: Int
    /// Whether a requested verification is pending.
    public let isVerificationDue: Bool
    public let verifiedAt: Timestamp?
    /// The position up to which the last verification went.
    public let verifiedPosition: Int?
    public let findings: [AuditFinding]
    public let retentionDays: Int
}
