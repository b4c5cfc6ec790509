import Core
import Platform

/// Job that asks a provider whether a user's authorization is still valid, after an event that may have ended it: the
/// user signed in so close to it that the times do not show which came first.
struct UpstreamQuestion: JobKind {
    static let kind = "upstream.question"

    static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.attempts = 12
        policy.firstDelay = .seconds(5)
        policy.longestDelay = .seconds(3600)
        policy.timeout = .seconds(60)
        policy.keepsReceipt = .seconds(3600)
        return policy
    }

    /// Time within which a sign-in under way has stored its token: longer than a provider's calls may take.
    static let delay = Duration.seconds(20)

    /// The provider's ID.
    let provider: String
    /// `sub` of the user.
    let sub: String
    /// The primary App ID of the group.
    let app: String
    /// Time of the event, in microseconds since 1970.
    let at: Int64

    init(to provider: ProviderID, of subject: Subject, for primaryAppID: ClientID, eventAt moment: Timestamp) {
        self.provider = provider.rawValue
        sub = subject.rawValue
        app = primaryAppID.rawValue
        at = moment.microseconds
    }
}
