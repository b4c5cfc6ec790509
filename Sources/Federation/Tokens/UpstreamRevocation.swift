public import Platform

/// Job that revokes one token at the provider that issued it.
///
/// Failed attempts are repeated over two and a half days; then the token is marked as one that cannot be revoked, and
/// the console can retry.
public struct UpstreamRevocation: JobKind {
    public static let kind = "provider.revocation"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.timeout = .seconds(60)
        return policy
    }

    /// The token's ID.
    let token: String
}
