import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// List of a team's App IDs.
struct AppIDListPage: ConsolePage {
    static let template = "console/app-ids/index"
    static let fields = frameFields.with {
        $0.optionalText("query") { $0.query }
        $0.list("rows", Row.fields) { $0.rows }
        $0.group("paging", PagingView.fields) { $0.paging }
        $0.optionalText("newURL") { $0.newURL }
    }

    struct Row: Sendable {
        let team: TeamID
        let summary: AppIDSummary

        private var appID: AppID { summary.appID }

        static let fields = Fields<Row> {
            $0.text("url") { ConsoleRoutes.appID.link($0.team, $0.appID.identifier) }
            $0.text("description") { $0.appID.description }
            $0.text("identifier") { $0.appID.identifier.rawValue }
            $0.words("grouping") { $0.appID.grouping }
            $0.flag("signIn") { $0.appID.isEnabled }
            $0.integer("serviceIDs") { $0.summary.serviceIDs }
            $0.integer("serviceIDLimit") { _ in Quota.serviceIDs.count }
            $0.integer("keys") { $0.summary.activeKeys }
            $0.integer("keyLimit") { _ in Quota.activeKeys.count }
        }
    }

    let frame: ConsoleFrame
    let query: String?
    let rows: [Row]
    let paging: PagingView
    let newURL: String?
}

extension AppID {
    /// Text about its grouping: primary App ID, or grouped under another one.
    var grouping: Message {
        guard let primary else { return Message("console.registry.primary") }
        return Message("console.registry.grouped", ["primary": primary.rawValue])
    }

    /// Label of the App ID in a selection list.
    var optionLabel: Message {
        Message("console.registry.option", ["description": description, "identifier": identifier.rawValue])
    }
}
