import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Web

/// The sign-ins of a team, and the requests that never became one.
struct FlowListPage: ConsolePage {
    static let template = "console/flows/index"
    static let fields =
        frameFields
        .optionalText("reference") { $0.missing }
        .list("chips", ChipView.fields) { $0.address.chips(nil) }
        .text("clearURL") { $0.address.clearURL }
        .flag("filtered") { $0.address.isFiltered }
        .list("selects", SelectView.fields) { $0.selects }
        .text("person") { $0.address.chosen("person") }
        .text("from") { $0.address.chosen("from") }
        .text("to") { $0.address.chosen("to") }
        .list("rows", Row.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }

    /// One flow in short.
    struct Row: Sendable {
        let flow: Flow
        let team: TeamSnapshot
        let person: String?
        let now: Timestamp

        private var app: any Wording {
            if let client = flow.clientID, let name = team.client(client)?.name { return name }
            return Phrase("console.flows.unknown-app")
        }

        static let fields = Fields<Row>()
            .text("url") { ConsoleRoutes.flow.link($0.team.id, $0.flow.id) }
            .group("time", TimeView.fields) { TimeView($0.flow.id.startedAt) }
            .words("app") { $0.app }
            .optionalText("client") { $0.flow.clientID?.rawValue }
            .optionalText("person") { $0.person }
            .group("badge", BadgeView.fields) { FlowStanding.badge(of: $0.flow, at: $0.now) }
            .optionalWords("cause") { row in
                row.flow.cause.map { Phrase(in: "console.causes", $0.rawValue) }
            }
            .flag("trial") { $0.flow.isTrial }
    }

    let frame: ConsoleFrame
    let address: FlowAddress
    let team: TeamSnapshot
    /// A reference that nothing was found under.
    let missing: String?
    let rows: [Row]
    let paging: PagingView

    private var selects: [SelectView] {
        let apps = team.clientIDs.map { ($0.rawValue, $0.rawValue as any Wording) }
        let outcomes = FlowOutcome.allCases.map { outcome in
            (outcome.rawValue, Phrase(in: "console.flows.outcome", outcome.rawValue) as any Wording)
        }
        let causes = RefusalCause.allCases.map { cause in
            (cause.rawValue, Phrase(in: "console.causes", cause.rawValue) as any Wording)
        }
        return [
            select("app", Phrase("console.flows.filter.app"), apps),
            select("outcome", Phrase("console.flows.filter.outcome"), outcomes),
            select("cause", Phrase("console.flows.filter.cause"), causes),
            select(
                "trial",
                Phrase("console.flows.filter.trial"),
                [("no", Phrase("console.flows.filter.trial.no"))]
            ),
        ]
    }

    private func select(_ name: String, _ label: Phrase, _ values: [(String, any Wording)]) -> SelectView {
        let chosen = address.chosen(name)
        let any = SelectView.Option("", Phrase("console.flows.filter.any"), isSelected: chosen.isEmpty)
        let options = values.map { SelectView.Option($0.0, $0.1, isSelected: $0.0 == chosen) }
        return SelectView(name, label: label, options: [any] + options)
    }
}
