public import Jobs

/// The revocation of one token at the provider that gave it: the outbox of what ends here.
///
/// Failed attempts are repeated over two and a half days; then the token is one that cannot be revoked, and the console
/// can try again.
public struct ProviderRevocation: JobKind {
    public static let kind = "provider.revocation"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.patience = .seconds(60)
        return policy
    }

    /// The token's id.
    let token: String
}
