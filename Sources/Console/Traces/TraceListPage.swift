import Bytes
import Domain
import HTTP
import Localization
import OAuth
import SignInTrace
import Templates
import Web

/// List of a team's sign-in traces, including requests that did not lead to a sign-in.
struct TraceListPage: ConsolePage {
    static let template = "console/traces/index"
    static let fields = frameFields.with {
        $0.optionalText("reference") { $0.missing }
        $0.list("chips", ChipView.fields) { $0.address.chips(nil) }
        $0.text("clearURL") { $0.address.clearURL }
        $0.flag("filtered") { $0.address.isFiltered }
        $0.list("selects", SelectView.fields) { $0.selects }
        $0.text("person") { $0.address.chosen("person") }
        $0.text("from") { $0.address.chosen("from") }
        $0.text("to") { $0.address.chosen("to") }
        $0.list("rows", Row.fields) { $0.rows }
        $0.group("paging", PagingView.fields) { $0.paging }
    }

    /// A sign-in trace in the list.
    struct Row: Sendable {
        let trace: SignInTrace
        let team: TeamSnapshot
        let person: String?
        let now: Timestamp

        private var app: any LocalizedTextConvertible {
            if let client = trace.clientID, let name = team.client(client)?.name { return name }
            return Message("console.traces.unknown-app")
        }

        static let fields = Fields<Row> {
            $0.text("url") { ConsoleRoutes.trace.link($0.team.id, $0.trace.id) }
            $0.group("time", TimeView.fields) { TimeView($0.trace.id.startedAt) }
            $0.words("app") { $0.app }
            $0.optionalText("client") { $0.trace.clientID?.rawValue }
            $0.optionalText("person") { $0.person }
            $0.group("badge", BadgeView.fields) { TraceStatus.badge(of: $0.trace, at: $0.now) }
            $0.optionalWords("cause") { row in row.trace.cause.map { Message(in: "console.causes", $0.rawValue) } }
            $0.flag("isTest") { $0.trace.isTest }
        }
    }

    let frame: ConsoleFrame
    let address: TraceAddress
    let team: TeamSnapshot
    /// The reference searched for, if no trace has it.
    let missing: String?
    let rows: [Row]
    let paging: PagingView

    private var selects: [SelectView] {
        let apps = team.clientIDs.map { ($0.rawValue, $0.rawValue as any LocalizedTextConvertible) }
        let outcomes = TraceOutcome.allCases.map { outcome in
            (outcome.rawValue, Message(in: "console.traces.outcome", outcome.rawValue) as any LocalizedTextConvertible)
        }
        let causes = RefusalCause.allCases.map { cause in
            (cause.rawValue, Message(in: "console.causes", cause.rawValue) as any LocalizedTextConvertible)
        }
        return [
            select("app", Message("console.traces.filter.app"), apps),
            select("outcome", Message("console.traces.filter.outcome"), outcomes),
            select("cause", Message("console.traces.filter.cause"), causes),
            select(
                "trial", Message("console.traces.filter.trial"), [("no", Message("console.traces.filter.trial.no"))]),
        ]
    }

    private func select(_ name: String, _ label: Message, _ values: [(String, any LocalizedTextConvertible)])
        -> SelectView
    {
        let chosen = address.chosen(name)
        let any = SelectView.Option("", Message("console.traces.filter.any"), isSelected: chosen.isEmpty)
        let options = values.map { SelectView.Option($0.0, $0.1, isSelected: $0.0 == chosen) }
        return SelectView(name, label: label, options: [any] + options)
    }
}
