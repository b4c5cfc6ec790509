public import Jobs

/// A notice that could not be verified when it came, because the provider's keys could not be had: it may be the only
/// time it comes.
public struct ProviderNoticeJob: JobKind {
    public static let kind = "provider.notice"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.firstDelay = .seconds(15)
        policy.patience = .seconds(60)
        // Whoever sends what never proves good leaves no heap behind.
        policy.keepsDead = .seconds(86_400)
        policy.keepsReceipt = .seconds(600)
        return policy
    }

    /// As it was posted, sealed, in base64url; nothing of it is believed yet.
    let sealed: String
    /// When it came, in microseconds since 1970: by then it had to be good.
    let receivedAt: Int64
}
