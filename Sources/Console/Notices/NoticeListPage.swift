import AuthEngine
import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// The delivery log of a team, and the form that tries an address.
struct NoticeListPage: ConsolePage {
    static let template = "console/notices/index"
    static let fields =
        frameFields
        .text("action") { NoticeRoutes.notices.link($0.team) }
        .optionalText("query") { $0.search.subject?.rawValue }
        .group("state", SelectView.fields) { $0.search.stateSelect }
        .group("type", SelectView.fields) { $0.search.typeSelect }
        .list("chips", ChipView.fields) { $0.search.chips(in: $0.team) }
        .text("clearURL") { NoticeRoutes.notices.link($0.team) }
        .list("rows", NoticeRow.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }
        .optionalGroup("test", NoticeTestForm.fields) { $0.test }
        .flag("hasAddress") { $0.hasAddress }

    let frame: ConsoleFrame
    let team: TeamID
    let search: NoticeSearch
    let rows: [NoticeRow]
    let paging: PagingView
    /// Absent where nobody can be told, or for those who may not.
    let test: NoticeTestForm?
    /// Whether any App ID has a notification URL.
    let hasAddress: Bool
}

/// The form that sends a notice about nobody.
struct NoticeTestForm: Sendable {
    let action: String
    let appIDs: [AppID]

    static let fields = Fields<NoticeTestForm>()
        .text("action") { $0.action }
        .group("appID", SelectView.fields) { $0.appIDSelect }
        .group("type", SelectView.fields) { _ in Self.typeSelect }

    private var appIDSelect: SelectView {
        SelectView(
            "appID",
            label: Phrase("console.notices.test.app-id"),
            options: appIDs.map { appID in
                SelectView.Option(
                    appID.identifier.rawValue,
                    "\(appID.description) (\(appID.identifier))",
                    isSelected: false
                )
            }
        )
    }

    private static var typeSelect: SelectView {
        SelectView(
            "testType",
            label: Phrase("console.notices.test.type"),
            options: NoticeType.allCases.map {
                SelectView.Option($0.rawValue, $0.rawValue, isSelected: false)
            }
        )
    }
}
