import Audit
import Bytes
import Domain
import HTTP
import Localization
import Web

/// Search of the audit log in the page's query string: the values as typed, and the filter they mean.
struct AuditQuery: Sendable {
    private static let names = ["q", "actor", "action", "target", "kind", "ip", "outcome", "from", "to"]
    /// Maximum length of a value in octets; nothing in the log that a user would type is longer.
    private static let longest = 300

    /// The fields as typed, in the order of the page; empty fields are omitted.
    let parameters: [(name: String, value: String)]
    /// The filter without the actor, because that may be a name that has to be resolved to ids.
    let filter: AuditFilter
    private(set) var errors = FieldErrors()

    init(_ form: Form) {
        parameters = Self.names.compactMap { name in
            guard let value = form[name].map(Self.line), !value.isEmpty, value.utf8.count <= Self.longest else {
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
        filter.words = EventSearchTerms.ofQuery(values["q"] ?? "")
        if let text = values["ip"] {
            filter.addresses = errors.require(AddressRange(text), "ip", Message("console.audit.error.ip"))
        }
        if let text = values["from"] {
            filter.since = errors.require(Timestamp(day: text), "from", Message("console.audit.error.day"))
        }
        if let text = values["to"] {
            let day = errors.require(Timestamp(day: text), "to", Message("console.audit.error.day"))
            filter.until = day.map { $0 + .seconds(86_400) }
        }
        if let since = filter.since, let until = filter.until, since >= until {
            errors.add("to", Message("console.audit.error.order"))
        }
        self.filter = filter
    }

    var actor: String? { self["actor"] }
    var isEmpty: Bool { parameters.isEmpty }

    /// Whether any field other than the search box is used.
    var isDetailed: Bool { parameters.contains { $0.name != "q" } || !errors.isEmpty }

    subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The fields as the audit event of an export stores them.
    var json: [String: JSONValue] { Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, .string($0.value)) }) }

    /// The active filters, each with the URL of the list without it.
    func chips(_ path: String) -> [ChipView] {
        parameters.map { parameter in
            // The kind of a target has no meaning without the target.
            let gone: Set<String> = parameter.name == "target" ? ["target", "kind"] : [parameter.name]
            let rest = parameters.filter { !gone.contains($0.name) }
            return ChipView(
                Message(in: "console.audit.filter", parameter.name), Self.words(parameter.name, parameter.value),
                removeURL: rest.isEmpty ? path : "\(path)?\(FormCoding.encode(rest))")
        }
    }

    private static func words(_ name: String, _ value: String) -> any LocalizedTextConvertible {
        switch name {
        case "action": AuditMessages.action(value)
        case "outcome": Message(in: "console.audit.outcome", value)
        case "kind": AuditMessages.kind(value)
        default: value
        }
    }

    /// The text without surrounding white space, and without control characters, some of which PostgreSQL rejects.
    private static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        line.append(contentsOf: text.unicodeScalars.filter { $0.properties.generalCategory != .control })
        return String(line).trimmedWhiteSpace
    }
}
