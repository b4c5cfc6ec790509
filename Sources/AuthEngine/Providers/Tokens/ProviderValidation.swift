public import Jobs

/// The question whether one person's authorization still stands at their provider, which Apple takes once a day.
///
/// It can wait: after a few attempts it is left to the next day.
public struct ProviderValidation: JobKind {
    public static let kind = "provider.validation"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.attempts = 4
        policy.firstDelay = .seconds(600)
        policy.longestDelay = .seconds(2 * 3600)
        policy.patience = .seconds(60)
        policy.keepsReceipt = .seconds(3600)
        return policy
    }

    /// The token's id.
    let token: String
}
