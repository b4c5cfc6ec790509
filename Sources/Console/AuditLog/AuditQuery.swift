import Core
import HTTP
import Platform
import SignIn

/// Search of the audit log: the values as typed, and the filter they mean.
struct AuditQuery: Sendable {
    let list: ListQuery
    /// The filter without the actor, because that may be a name that has to be resolved to ids.
    let filter: AuditFilter
    private(set) var errors = FieldErrors()

    /// - Parameters:
    ///   - form: the query of the page's URL, or the form that exports what it finds.
    ///   - actions: names of all possible actions.
    /// - Throws: `UserFacingError` for an invalid position in the list.
    init(_ form: Form, at path: String, actions: [String]) throws(UserFacingError) {
        list = try ListQuery(form, at: path, Self.filters(actions))
        var filter = AuditFilter()
        filter.action = list["action"]
        filter.target = list["target"]
        filter.targetKind = list["kind"]
        filter.outcome = list["outcome"].flatMap(AuditEvent.Outcome.init(rawValue:))
        filter.words = EventSearchTerms.ofQuery(list.search)
        if let text = list["ip"] {
            filter.addresses = errors.require(AddressBlock(text), "ip", Message("console.audit.error.ip"))
        }
        (filter.since, filter.until) = list.days
        for error in list.errors.all { errors.add(error.path, error.message) }
        self.filter = filter
    }

    private static func filters(_ actions: [String]) -> [ListFilter] {
        let label = { (name: String) in Message(in: "console.audit.filter", name) }
        let any = Message("console.audit.any")
        var action = ListFilter.choice(
            "action", label("action"), any: any, actions.map { ($0, AuditMessages.action($0)) })
        // Events of earlier versions have actions that no event has today.
        (action.accepts, action.shown) = ({ _ in true }, { AuditMessages.action($0) })
        let outcomes = [AuditEvent.Outcome.succeeded, .refused].map(\.rawValue)
        return [
            .search(label("q"), placeholder: Message("console.audit.search.hint")),
            .text("actor", label("actor"), placeholder: Message("console.audit.hint.actor")),
            .text("target", label("target"), placeholder: Message("console.audit.hint.target")),
            ListFilter(name: "kind", label: label("kind"), element: .hidden) { _ in
                true
            } shown: {
                AuditMessages.kind($0)
            }, .text("ip", label("ip"), placeholder: Message("console.audit.hint.ip")),
            .text("from", label("from"), type: "date"), .text("to", label("to"), type: "date"), action,
            .choice(
                "outcome", label("outcome"), any: any, outcomes.map { ($0, Message(in: "console.audit.outcome", $0)) }),
        ]
    }

    var actor: String? { list["actor"] }

    /// Whether any field other than the search box is used.
    var isDetailed: Bool { list.parameters.contains { $0.name != "q" } || !errors.isEmpty }

    /// The inputs beside the search box, with their errors.
    var inputs: [Input] {
        list.filters.filter { $0.name != "q" }.compactMap { $0.view(list[$0.name] ?? "", errors: errors) }
    }

    /// The fields as the audit event of an export stores them.
    var json: [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: list.parameters.map { ($0.name, .string($0.value)) })
    }

    /// The active filters, each with the URL of the list without it.
    var chips: [ChipView] {
        list.parameters.map { parameter in
            // The kind of a target has no meaning without the target.
            list.chip(parameter, without: parameter.name == "target" ? ["target", "kind"] : [parameter.name])
        }
    }
}
