public import Platform

/// Job that asks a provider whether a user's authorization is still valid, which Apple allows once a day.
///
/// It is not urgent: after a few attempts it is left to the next day.
public struct UpstreamValidation: JobKind {
    public static let kind = "provider.validation"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.attempts = 4
        policy.firstDelay = .seconds(600)
        policy.longestDelay = .seconds(2 * 3600)
        policy.timeout = .seconds(60)
        policy.keepsReceipt = .seconds(3600)
        return policy
    }

    /// The token's ID.
    let token: String
}
