import Domain
import HTTP
import Notifications
import Templates
import Web

/// A notification with its delivery attempts.
struct NotificationDetailPage: ConsolePage {
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
        $0.list("attempts", DeliveryAttemptRow.fields) { $0.attempts.map { DeliveryAttemptRow(attempt: $0) } }
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
