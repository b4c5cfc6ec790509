import Audit
import Bytes
import Domain
import HTTP
import Web

/// What is asked of the log, as the address of its page says it: what was typed, and what that means.
struct AuditQuery: Sendable {
    private static let names = ["q", "actor", "action", "target", "kind", "ip", "outcome", "from", "to"]
    /// Of a value; nothing in the log is longer that anybody would type.
    private static let longest = 300

    /// What was typed, in the order of the page; empty fields are left out.
    let parameters: [(name: String, value: String)]
    /// Everything but the actor, who may have been named by name.
    let filter: AuditFilter
    private(set) var errors = FieldErrors()

    init(_ form: Form) {
        parameters = Self.names.compactMap { name in
            guard let value = form[name].map(Self.line), !value.isEmpty, value.utf8.count <= Self.longest
            else {
                return nil
            }
            return (name, value)
        }
        let values = Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.value) })
        var filter = AuditFilter()
        filter.action = values["action"]
        filter.target = values["target"]
        filter.targetKind = values["kind"]
        filter.outcome = values["outcome"].flatMap(AuditEvent.Outcome.init(rawValue:))
        filter.words = EventWords.ofQuery(values["q"] ?? "")
        if let text = values["ip"] {
            filter.addresses = errors.require(AddressRange(text), "ip", Phrase("console.audit.error.ip"))
        }
        if let text = values["from"] {
            filter.since = errors.require(Timestamp(day: text), "from", Phrase("console.audit.error.day"))
        }
        if let text = values["to"] {
            let day = errors.require(Timestamp(day: text), "to", Phrase("console.audit.error.day"))
            filter.until = day.map { $0 + .seconds(86_400) }
        }
        if let since = filter.since, let until = filter.until, since >= until {
            errors.add("to", Phrase("console.audit.error.order"))
        }
        self.filter = filter
    }

    var actor: String? { self["actor"] }
    var isEmpty: Bool { parameters.isEmpty }

    /// Whether more is asked than the words in the search box.
    var isDetailed: Bool { parameters.contains { $0.name != "q" } || !errors.isEmpty }

    subscript(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// As the event of an export keeps it.
    var json: [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, .string($0.value)) })
    }

    /// The filters in force, each with the address of the list without it.
    func chips(_ path: String) -> [ChipView] {
        parameters.map { parameter in
            // The kind of a target says nothing without it.
            let gone: Set<String> = parameter.name == "target" ? ["target", "kind"] : [parameter.name]
            let rest = parameters.filter { !gone.contains($0.name) }
            return ChipView(
                Phrase(in: "console.audit.filter", parameter.name),
                Self.words(parameter.name, parameter.value),
                removeURL: rest.isEmpty ? path : "\(path)?\(FormCoding.encode(rest))"
            )
        }
    }

    private static func words(_ name: String, _ value: String) -> any Wording {
        switch name {
        case "action": AuditWords.action(value)
        case "outcome": Phrase(in: "console.audit.outcome", value)
        case "kind": AuditWords.kind(value)
        default: value
        }
    }

    /// Without white space around it and control characters, which PostgreSQL may refuse.
    private static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        line.append(contentsOf: text.unicodeScalars.filter { $0.properties.generalCategory != .control })
        return String(line).trimmedWhiteSpace
    }
}
