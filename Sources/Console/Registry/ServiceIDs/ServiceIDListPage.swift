import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// The Service IDs of a team.
struct ServiceIDListPage: ConsolePage {
    static let template = "console/service-ids/index"
    static let fields =
        frameFields
        .optionalText("query") { $0.query }
        .list("rows", Row.fields) { $0.rows }
        .flag("hasAppIDs") { $0.hasAppIDs }
        .group("paging", PagingView.fields) { $0.paging }
        .optionalText("newURL") { $0.newURL }
        .optionalText("newAppIDURL") { $0.newAppIDURL }

    struct Row: Sendable {
        let team: TeamID
        let summary: ServiceIDSummary

        static let fields = Fields<Row>()
            .text("url") { ConsoleRoutes.serviceID.link($0.team, $0.summary.identifier) }
            .text("description") { $0.summary.description }
            .text("identifier") { $0.summary.identifier.rawValue }
            .text("appID") { $0.summary.appDescription }
            .words("returnURLs") { $0.summary.returnURLCount }
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
    var returnURLCount: Phrase {
        Phrase(
            "console.service-ids.row.return-urls",
            ["number": returnURLs, "limit": Limit.returnURLs.count]
        )
    }
}
