import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// The App IDs of a team.
struct AppIDListPage: ConsolePage {
    static let template = "console/app-ids/index"
    static let fields =
        frameFields
        .optionalText("query") { $0.query }
        .list("rows", Row.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }
        .optionalText("newURL") { $0.newURL }

    struct Row: Sendable {
        let team: TeamID
        let summary: AppIDSummary

        private var appID: AppID { summary.appID }

        static let fields = Fields<Row>()
            .text("url") { ConsoleRoutes.appID.link($0.team, $0.appID.identifier) }
            .text("description") { $0.appID.description }
            .text("identifier") { $0.appID.identifier.rawValue }
            .words("grouping") { $0.appID.grouping }
            .flag("signIn") { $0.appID.isEnabled }
            .integer("serviceIDs") { $0.summary.serviceIDs }
            .integer("serviceIDLimit") { _ in Limit.serviceIDs.count }
            .integer("keys") { $0.summary.activeKeys }
            .integer("keyLimit") { _ in Limit.activeKeys.count }
    }

    let frame: ConsoleFrame
    let query: String?
    let rows: [Row]
    let paging: PagingView
    let newURL: String?
}

extension AppID {
    /// Where it stands among the others.
    var grouping: Phrase {
        guard let primary else { return Phrase("console.registry.primary") }
        return Phrase("console.registry.grouped", ["primary": primary.rawValue])
    }

    /// What a choice among App IDs calls it.
    var optionLabel: Phrase {
        Phrase("console.registry.option", ["description": description, "identifier": identifier.rawValue])
    }
}
