public import Bytes

/// How far a team's log is sealed, and what is known of it.
public struct AuditChain: Sendable {
    /// Nil while nothing was sealed.
    public let head: AuditHead?
    public let sealedAt: Timestamp?
    /// Events that wait for their seal, counted up to a thousand.
    public let waiting: Int
    /// A verification that is still to come.
    public let isVerificationDue: Bool
    public let verifiedAt: Timestamp?
    /// The position up to which it went.
    public let verifiedPosition: Int?
    public let findings: [AuditFinding]
    public let retentionDays: Int
}
