public import Platform
import Registry

/// Job that delivers a notification.
///
/// Failed attempts are repeated over two and a half days; then the notification is dead, and the console can send it
/// again.
public struct NotificationJob: JobKind {
    public static let kind = "notice.delivery"

    public static var policy: JobPolicy {
        var policy = JobPolicy()
        policy.timeout = .seconds(60)
        return policy
    }

    let notification: String
    /// Spelling of the account deletion event, if it is not the team's.
    let spelling: String?
    /// Number of copies sent, if more than one.
    let copies: Int?

    /// Names under which queued jobs have been stored since version 0.1.
    enum CodingKeys: String, CodingKey {
        case notification = "notice"
        case spelling, copies
    }

    init(_ id: NotificationID, _ form: NotificationFormat = NotificationFormat()) {
        notification = id.rawValue
        spelling = form.accountDeleteEvent?.rawValue
        copies = form.copies > 1 ? form.copies : nil
    }
}
