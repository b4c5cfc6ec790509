import Bytes
import Domain
import HTTP
import Registry
import Templates
import Web

/// The e-mail sources of a team: at most a hundred, on one page.
struct EmailSourceListPage: ConsolePage {
    static let template = "console/email-sources/index"
    static let fields =
        frameFields
        .optionalText("query") { $0.query }
        .list("rows", Row.fields) { page in page.sources.map { Row(team: page.team, source: $0) } }
        .words("summary") { page in
            Phrase("console.email-sources.count", ["limit": Limit.emailSources.count], count: page.total)
        }
        .optionalText("newURL") { $0.newURL }

    struct Row: Sendable {
        let team: TeamID
        let source: RegisteredEmailSource

        static let fields = Fields<Row>()
            .text("url") { RegistryRoutes.emailSources.one.link($0.team, $0.source.key) }
            .text("source") { $0.source.identity }
            .group("state", BadgeView.fields) { $0.source.state.badge }
            .optionalGroup("checked", TimeView.fields) { $0.source.checkedAt.map(TimeView.init) }
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
        case .pending: BadgeView(.plain, Phrase("console.email-sources.state.pending"))
        case .ok: BadgeView(.good, Phrase("console.email-sources.state.ok"))
        case .missing: BadgeView(.bad, Phrase("console.email-sources.state.missing"))
        case .wrong: BadgeView(.bad, Phrase("console.email-sources.state.wrong"))
        }
    }
}
