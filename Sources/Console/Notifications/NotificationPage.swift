import Core
import HTTP
import OAuth
import Platform
import SignIn
import Templates

/// Delivery log of a team's notifications, with the form that sends a test notification.
struct NotificationListPage: ConsolePage {
    static let template = "console/notifications/index"
    static let fields = frameFields.with {
        $0.group("list", ListView.fields) { $0.list }
        $0.optionalGroup("test", FormView.fields) { $0.test }
    }

    let frame: ConsoleFrame
    let list: ListView
    /// Nil if no App ID has a notification URL, or if the account may not send one.
    let test: FormView?
}

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

/// A delivery attempt on the page of its notification.
struct DeliveryAttemptRow: Sendable {
    let attempt: DeliveryAttempt

    static let fields = Fields<DeliveryAttemptRow> {
        $0.group("time", TimeView.fields) { TimeView($0.attempt.at) }
        $0.text("url") { $0.attempt.url }
        $0.words("result") { $0.attempt.result.words }
        $0.flag("isGood") { $0.attempt.result.isGood }
        $0.integer("milliseconds") { $0.attempt.milliseconds }
        $0.optionalText("excerpt") { $0.attempt.excerpt.isEmpty ? nil : $0.attempt.excerpt }
    }
}

extension NotificationState {
    var words: Message {
        switch self {
        case .pending: Message("console.notifications.state.pending")
        case .delivered: Message("console.notifications.state.delivered")
        case .dead: Message("console.notifications.state.dead")
        }
    }

    var badge: BadgeView {
        switch self {
        case .pending: BadgeView(.plain, words)
        case .delivered: BadgeView(.good, words)
        case .dead: BadgeView(.bad, words)
        }
    }
}

extension DeliveryAttempt.Result {
    fileprivate var isGood: Bool {
        if case .answered(let status) = self { (200..<300).contains(status) } else { false }
    }

    fileprivate var words: Message {
        switch self {
        case .answered(let status): Message("console.notifications.answered", ["status": String(status)])
        case .failed(.addressMissing): Message("console.notifications.problem.address-missing")
        case .failed(.addressMalformed): Message("console.notifications.problem.address-malformed")
        case .failed(.addressRefused): Message("console.notifications.problem.address-refused")
        case .failed(.nameNotFound): Message("console.notifications.problem.name-not-found")
        case .failed(.cannotConnect): Message("console.notifications.problem.cannot-connect")
        case .failed(.untrusted): Message("console.notifications.problem.untrusted")
        case .failed(.deadlinePassed): Message("console.notifications.problem.deadline-passed")
        case .failed(.malformedAnswer): Message("console.notifications.problem.malformed-answer")
        case .failed(.answerTooLong): Message("console.notifications.problem.answer-too-long")
        case .failed(.other): Message("console.notifications.problem.other")
        }
    }
}
