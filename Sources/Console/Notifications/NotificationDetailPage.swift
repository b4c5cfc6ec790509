import Core
import Directory
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Templates

/// A notification with its delivery attempts.
struct NotificationDetailPage: FramedPage {
    static let template = "console/notifications/show"
    static let fields = frameFields.with {
        $0.text("listURL") { NotificationRoutes.notifications.link($0.team) }
        $0.text("type") { $0.notification.type.rawValue }
        $0.flag("isTest") { $0.notification.isTest }
        $0.group("state", BadgeView.fields) { $0.notification.state.badge }
        $0.optionalWords("retry") { $0.notification.retry }
        $0.group("id", CopyView.fields) { CopyView("jti", $0.notification.id.rawValue) }
        $0.group("sub", CopyView.fields) { CopyView("sub", $0.notification.subject.rawValue) }
        $0.group("appID", appIDFields) { $0 }
        $0.group("created", TimeView.fields) { TimeView($0.notification.createdAt) }
        $0.optionalGroup("settled", TimeView.fields) { $0.notification.settledAt.map(TimeView.init) }
        // A page whose notification is about to be sent shows the answer by itself.
        $0.flag("isPending") { $0.notification.state == .pending && $0.attempts.isEmpty }
        $0.list("attempts", DeliveryAttempt.fields) { $0.attempts }
        $0.optionalText("replayURL") { $0.replayURL }
    }

    private static let appIDFields = Fields<NotificationDetailPage> {
        $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.notification.appID) }
        $0.text("identifier") { $0.notification.appID.rawValue }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let notification: NotificationSummary
    let attempts: [DeliveryAttempt]
    /// Nil while the notification is pending, or if the account may not send it again.
    let replayURL: String?
}

extension NotificationSummary {
    /// Number of failed attempts and time of the next one; nil if none failed or no job is to deliver the notification.
    var retry: Message? {
        guard let delivery, delivery.failures > 0 else { return nil }
        guard let next = delivery.nextAttemptAt else {
            return Message("console.notifications.retry.now", count: delivery.failures)
        }
        return Message("console.notifications.retry", ["next": next], count: delivery.failures)
    }
}

extension DeliveryAttempt {
    fileprivate static let fields = Fields<DeliveryAttempt> {
        $0.group("time", TimeView.fields) { TimeView($0.at) }
        $0.text("url") { $0.url }
        $0.words("result") { $0.result.words }
        $0.flag("isGood") { $0.result.isGood }
        $0.integer("milliseconds") { $0.milliseconds }
        $0.optionalText("excerpt") { $0.excerpt.isEmpty ? nil : $0.excerpt }
    }
}

extension DeliveryAttempt.Result {
    fileprivate var isGood: Bool {
        if case .answered(let status) = self { (200..<300).contains(status) } else { false }
    }

    fileprivate var words: Message {
        switch self {
        case .answered(let status): Message("console.notifications.answered", ["status": String(status)])
        case .failed(let problem): Message(in: "console.notifications.problem", problem.rawValue)
        }
    }
}
