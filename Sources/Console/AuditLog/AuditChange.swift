import Core
import Platform
import Templates

/// One changed JSON member, with its value before and after the event.
struct AuditChange: Hashable, Sendable {
    let name: String
    let before: LocalizedText?
    let after: LocalizedText?

    static let fields = Fields<AuditChange> {
        $0.text("name") { $0.name }
        $0.optionalWords("before") { $0.before }
        $0.optionalWords("after") { $0.after }
    }

    /// Members of `before` and `after` that differ, sorted by name.
    static func all(of entry: AuditEntry) -> [AuditChange] {
        all(before: members(entry.before), after: members(entry.after))
    }

    /// Maximum length of a value in a list, in octets.
    static let shownOctets = 300
    /// Maximum size of `before` and `after` together whose changes a list shows, in octets.
    ///
    /// A list has fifty events, and one loop renders the response.
    static let readOctets = 32 * 1024

    /// Changes for a list: each value is cut to `shownOctets`, and an event larger than `readOctets` has none.
    ///
    /// The event's own page shows all of them.
    static func beginnings(before: String?, after: String?) -> [AuditChange] {
        let octets = [before, after].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        guard octets <= readOctets else { return [] }
        return all(before: members(before), after: members(after), showing: beginning)
    }

    static func all(
        before: [String: JSONValue], after: [String: JSONValue], showing shown: (JSONValue) -> JSONValue = { $0 }
    ) -> [AuditChange] {
        Set(before.keys).union(after.keys).sorted().compactMap { name in
            guard before[name] != after[name] else { return nil }
            let (old, new) = (before[name].map(shown).flatMap(text), after[name].map(shown).flatMap(text))
            return AuditChange(name: AuditMessages.member(name), before: old, after: new)
        }
    }

    private static func beginning(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .boolean, .integer, .number: return value
        case .string(let text): return .string(shortened(text))
        case .object: return .string(shortened(String(decoding: JSON.encode(value), as: UTF8.self)))
        case .array(let items):
            var (kept, left) = ([JSONValue](), shownOctets)
            for item in items {
                guard left > 0 else { return .array(kept + [.string("…")]) }
                let item = beginning(item)
                kept.append(item)
                left -= JSON.encode(item).count
            }
            return .array(kept)
        }
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= shownOctets ? text : text.cut(toOctets: shownOctets) + "…"
    }

    /// Members of a JSON object; empty for any other value, so that the event is listed without changes.
    private static func members(_ json: String?) -> [String: JSONValue] {
        guard let json, let value = try? JSON.decode(JSONValue.self, from: Array(json.utf8)),
            case .object(let members) = value
        else { return [:] }
        return members
    }

    private static func text(_ value: JSONValue) -> LocalizedText? {
        switch value {
        case .null: nil
        case .boolean(let flag): (flag ? Message("console.audit.yes") : Message("console.audit.no")).localizedText
        case .integer(let number): .verbatim(String(number))
        case .number(let number): .verbatim(String(number))
        case .string(let text): .verbatim(text)
        case .array(let items):
            items.isEmpty ? Message("console.audit.nothing").localizedText : .list(items.compactMap(text))
        case .object: .verbatim(String(decoding: JSON.encode(value), as: UTF8.self))
        }
    }
}
