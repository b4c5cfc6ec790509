import Audit
import Bytes
import Domain
import HTTP
import Localization
import Templates
import Web

/// Page of the audit log: search form, matching events, state of the seal chain.
struct AuditLogPage: ConsolePage {
    static let template = "console/audit/index"
    static let fields = frameFields.with {
        $0.text("query") { $0.query["q"] ?? "" }
        $0.list("chips", ChipView.fields) { $0.query.chips($0.path) }
        $0.text("clearURL") { $0.path }
        $0.flag("filtered") { !$0.query.isEmpty }
        $0.flag("detailed") { $0.query.isDetailed }
        $0.flag("invalid") { !$0.query.errors.isEmpty }
        $0.list("selects", SelectView.fields) { $0.selects }
        $0.list("inputs", FieldView.fields) { $0.inputs }
        $0.list("rows", AuditRow.fields) { $0.rows }
        $0.optionalGroup("reached", TimeView.fields) { $0.reached }
        $0.group("paging", PagingView.fields) { $0.paging }
        $0.group("chain", AuditChainView.fields) { $0.chain }
        $0.optionalText("exportURL") { $0.chain.mayVerify ? ConsoleRoutes.auditExport.link($0.team) : nil }
        $0.list("parameters", Parameter.fields) { page in
            page.query.parameters.map { Parameter(name: $0.name, value: $0.value) }
        }
    }

    /// A filter, repeated as a hidden field of the export form.
    private struct Parameter: Sendable {
        let name: String
        let value: String

        static let fields = Fields<Parameter> {
            $0.text("name") { $0.name }
            $0.text("value") { $0.value }
        }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let query: AuditQuery
    /// Names of all possible actions.
    let actions: [String]
    let rows: [AuditRow]
    /// Time down to which a partial search has examined the log; the next page continues there.
    let reached: TimeView?
    let paging: PagingView
    let chain: AuditChainView

    private var path: String { ConsoleRoutes.audit.link(team) }

    private var selects: [SelectView] {
        let outcomes = [AuditEvent.Outcome.succeeded, .refused].map(\.rawValue)
        return [
            select("action", actions.map { ($0, AuditMessages.action($0)) }),
            select("outcome", outcomes.map { ($0, Message(in: "console.audit.outcome", $0)) }),
        ]
    }

    private var inputs: [FieldView] {
        [
            input("actor", placeholder: Message("console.audit.hint.actor")),
            input("target", placeholder: Message("console.audit.hint.target")),
            input("ip", placeholder: Message("console.audit.hint.ip")), input("from", type: "date"),
            input("to", type: "date"),
        ]
    }

    private func input(_ name: String, type: String = "text", placeholder: Message? = nil) -> FieldView {
        FieldView(
            name, label: Message(in: "console.audit.filter", name), type: type, value: query[name] ?? "",
            autocomplete: "off", placeholder: placeholder, error: query.errors[name], isRequired: false,
            isCode: type == "text")
    }

    private func select(_ name: String, _ values: [(String, Message)]) -> SelectView {
        let chosen = query[name] ?? ""
        let any = SelectView.Option("", Message("console.audit.any"), isSelected: chosen.isEmpty)
        let options = values.map { SelectView.Option($0.0, $0.1, isSelected: $0.0 == chosen) }
        return SelectView(name, label: Message(in: "console.audit.filter", name), options: [any] + options)
    }
}
