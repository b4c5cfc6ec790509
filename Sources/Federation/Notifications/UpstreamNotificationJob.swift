public import Platform

/// Job that verifies a notification whose keys were unavailable on arrival; the provider may not send it again.
public struct UpstreamNotificationJob: JobKind {
    public static let kind = "provider.notice"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.firstDelay = .seconds(15)
        policy.timeout = .seconds(60)
        // Short, so that notifications that never verify do not accumulate.
        policy.keepsDead = .seconds(86_400)
        policy.keepsReceipt = .seconds(600)
        return policy
    }

    /// Body as posted, sealed, in base64url; not verified yet.
    let sealed: String
    /// Time of arrival, in microseconds since 1970, at which the notification must have been valid.
    let receivedAt: Int64
}
