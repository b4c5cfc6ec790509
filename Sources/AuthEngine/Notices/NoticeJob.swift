public import Jobs

/// The delivery of a notice.
///
/// Failed attempts are repeated over two and a half days; then the notice is dead, and the console can send it again.
public struct NoticeJob: JobKind {
    public static let kind = "notice.delivery"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.patience = .seconds(60)
        return policy
    }

    let notice: String
}
