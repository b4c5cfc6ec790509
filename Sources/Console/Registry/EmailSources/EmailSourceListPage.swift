import Bytes
import Domain
import HTTP
import Localization
import Registry
import Templates
import Web

/// List of a team's email sources: at most 100, on one page.
struct EmailSourceListPage: ConsolePage {
    static let template = "console/email-sources/index"
    static let fields = frameFields.with {
        $0.optionalText("query") { $0.query }
        $0.list("rows", Row.fields) { page in page.sources.map { Row(team: page.team, source: $0) } }
        $0.words("summary") { page in
            Message("console.email-sources.count", ["limit": Quota.emailSources.count], count: page.total)
        }
        $0.optionalText("newURL") { $0.newURL }
    }

    struct Row: Sendable {
        let team: TeamID
        let source: RegisteredEmailSource

        static let fields = Fields<Row> {
            $0.text("url") { RegistryRoutes.emailSources.one.link($0.team, $0.source.key) }
            $0.text("source") { $0.source.identity }
            $0.group("state", BadgeView.fields) { $0.source.state.badge }
            $0.optionalGroup("checked", TimeView.fields) { $0.source.checkedAt.map(TimeView.init) }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let query: String?
    let sources: [RegisteredEmailSource]
    let total: Int
    let newURL: String?
}

extension MailRecord.State {
    var badge: BadgeView {
        switch self {
        case .pending: BadgeView(.plain, Message("console.email-sources.state.pending"))
        case .ok: BadgeView(.good, Message("console.email-sources.state.ok"))
        case .missing: BadgeView(.bad, Message("console.email-sources.state.missing"))
        case .wrong: BadgeView(.bad, Message("console.email-sources.state.wrong"))
        }
    }
}
