import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// List of a team's Service IDs.
struct ServiceIDListPage: ConsolePage {
    static let template = "console/service-ids/index"
    static let fields = frameFields.with {
        $0.optionalText("query") { $0.query }
        $0.list("rows", Row.fields) { $0.rows }
        $0.flag("hasAppIDs") { $0.hasAppIDs }
        $0.group("paging", PagingView.fields) { $0.paging }
        $0.optionalText("newURL") { $0.newURL }
        $0.optionalText("newAppIDURL") { $0.newAppIDURL }
    }

    struct Row: Sendable {
        let team: TeamID
        let summary: ServiceIDSummary

        static let fields = Fields<Row> {
            $0.text("url") { ConsoleRoutes.serviceID.link($0.team, $0.summary.identifier) }
            $0.text("description") { $0.summary.description }
            $0.text("identifier") { $0.summary.identifier.rawValue }
            $0.text("appID") { $0.summary.appDescription }
            $0.words("returnURLs") { $0.summary.returnURLCount }
        }
    }

    let frame: ConsoleFrame
    let query: String?
    let rows: [Row]
    let hasAppIDs: Bool
    let paging: PagingView
    let newURL: String?
    let newAppIDURL: String?
}

extension ServiceIDSummary {
    var returnURLCount: Message {
        Message("console.service-ids.row.return-urls", ["number": returnURLs, "limit": Quota.returnURLs.count])
    }
}
