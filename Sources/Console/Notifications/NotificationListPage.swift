import Bytes
import Domain
import HTTP
import Localization
import Notifications
import Registry
import Templates
import Web

/// Delivery log of a team's notifications, with the form that sends a test notification.
struct NotificationListPage: ConsolePage {
    static let template = "console/notifications/index"
    static let fields = frameFields.with {
        $0.text("action") { NotificationRoutes.notifications.link($0.team) }
        $0.optionalText("query") { $0.search.subject?.rawValue }
        $0.group("state", SelectView.fields) { $0.search.stateSelect }
        $0.group("type", SelectView.fields) { $0.search.typeSelect }
        $0.list("chips", ChipView.fields) { $0.search.chips(in: $0.team) }
        $0.text("clearURL") { NotificationRoutes.notifications.link($0.team) }
        $0.list("rows", NotificationRow.fields) { $0.rows }
        $0.group("paging", PagingView.fields) { $0.paging }
        $0.optionalGroup("test", NotificationTestForm.fields) { $0.test }
        $0.flag("hasAddress") { $0.hasAddress }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let search: NotificationSearch
    let rows: [NotificationRow]
    let paging: PagingView
    /// Nil if no App ID has a notification URL, or if the account may not send one.
    let test: NotificationTestForm?
    /// Whether any App ID has a notification URL.
    let hasAddress: Bool
}

/// Form that sends a test notification, which concerns no real user.
struct NotificationTestForm: Sendable {
    let action: String
    let appIDs: [AppID]

    static let fields = Fields<NotificationTestForm> {
        $0.text("action") { $0.action }
        $0.group("appID", SelectView.fields) { $0.appIDSelect }
        $0.group("type", SelectView.fields) { _ in Self.typeSelect }
    }

    private var appIDSelect: SelectView {
        SelectView(
            "appID", label: Message("console.notifications.test.app-id"),
            options: appIDs.map { appID in
                SelectView.Option(
                    appID.identifier.rawValue, "\(appID.description) (\(appID.identifier))", isSelected: false)
            })
    }

    private static var typeSelect: SelectView {
        SelectView(
            "testType", label: Message("console.notifications.test.type"),
            options: NotificationType.allCases.map { SelectView.Option($0.rawValue, $0.rawValue, isSelected: false) })
    }
}
