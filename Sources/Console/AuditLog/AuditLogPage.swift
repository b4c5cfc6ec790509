import Audit
import Bytes
import Domain
import HTTP
import Templates
import Web

/// Who did what, when, from where.
struct AuditLogPage: ConsolePage {
    static let template = "console/audit/index"
    static let fields =
        frameFields
        .text("query") { $0.query["q"] ?? "" }
        .list("chips", ChipView.fields) { $0.query.chips($0.path) }
        .text("clearURL") { $0.path }
        .flag("filtered") { !$0.query.isEmpty }
        .flag("detailed") { $0.query.isDetailed }
        .flag("invalid") { !$0.query.errors.isEmpty }
        .list("selects", SelectView.fields) { $0.selects }
        .list("inputs", FieldView.fields) { $0.inputs }
        .list("rows", AuditRow.fields) { $0.rows }
        .optionalGroup("reached", TimeView.fields) { $0.reached }
        .group("paging", PagingView.fields) { $0.paging }
        .group("chain", AuditChainView.fields) { $0.chain }
        .optionalText("exportURL") { $0.chain.mayVerify ? ConsoleRoutes.auditExport.link($0.team) : nil }
        .list("parameters", Parameter.fields) { page in
            page.query.parameters.map { Parameter(name: $0.name, value: $0.value) }
        }

    /// A filter as an export takes it along.
    private struct Parameter: Sendable {
        let name: String
        let value: String

        static let fields = Fields<Parameter>().text("name") { $0.name }.text("value") { $0.value }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let query: AuditQuery
    /// The names of everything that may have happened.
    let actions: [String]
    let rows: [AuditRow]
    /// How far back a search has come that goes on at the next page.
    let reached: TimeView?
    let paging: PagingView
    let chain: AuditChainView

    private var path: String { ConsoleRoutes.audit.link(team) }

    private var selects: [SelectView] {
        let outcomes = [AuditEvent.Outcome.succeeded, .refused].map(\.rawValue)
        return [
            select("action", actions.map { ($0, AuditWords.action($0)) }),
            select("outcome", outcomes.map { ($0, Phrase(in: "console.audit.outcome", $0)) }),
        ]
    }

    private var inputs: [FieldView] {
        [
            input("actor", placeholder: Phrase("console.audit.hint.actor")),
            input("target", placeholder: Phrase("console.audit.hint.target")),
            input("ip", placeholder: Phrase("console.audit.hint.ip")),
            input("from", type: "date"),
            input("to", type: "date"),
        ]
    }

    private func input(_ name: String, type: String = "text", placeholder: Phrase? = nil) -> FieldView {
        FieldView(
            name,
            label: Phrase(in: "console.audit.filter", name),
            type: type,
            value: query[name] ?? "",
            autocomplete: "off",
            placeholder: placeholder,
            error: query.errors[name],
            isRequired: false,
            isCode: type == "text"
        )
    }

    private func select(_ name: String, _ values: [(String, Phrase)]) -> SelectView {
        let chosen = query[name] ?? ""
        let any = SelectView.Option("", Phrase("console.audit.any"), isSelected: chosen.isEmpty)
        let options = values.map { SelectView.Option($0.0, $0.1, isSelected: $0.0 == chosen) }
        return SelectView(name, label: Phrase(in: "console.audit.filter", name), options: [any] + options)
    }
}
