import Domain
public import Jobs
import Tenancy

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
    /// The spelling of a deleted account, where it is not the team's.
    let spelling: String?
    /// How often it is sent, where that is more than once.
    let copies: Int?

    init(_ id: NoticeID, _ form: NoticeForm = NoticeForm()) {
        notice = id.rawValue
        spelling = form.accountDeleteEvent?.rawValue
        copies = form.copies > 1 ? form.copies : nil
    }
}
