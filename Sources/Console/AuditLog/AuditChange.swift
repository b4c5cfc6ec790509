import Audit
import Bytes
import Templates

/// One member of what was changed, as it was and as it is.
struct AuditChange: Hashable, Sendable {
    let name: String
    let before: Words?
    let after: Words?

    static let fields = Fields<AuditChange>()
        .text("name") { $0.name }
        .optionalWords("before") { $0.before }
        .optionalWords("after") { $0.after }

    /// The members that differ, by name.
    static func all(of entry: AuditEntry) -> [AuditChange] {
        all(before: members(entry.before), after: members(entry.after))
    }

    /// Octets of a value that a list shows.
    static let shownOctets = 300
    /// Octets of an event that a list takes apart: it has fifty of them, for one answer of one loop.
    static let readOctets = 32 * 1024

    /// The same for a list: of each value a line or two, and nothing of an event beyond measure, which has its page.
    static func beginnings(before: String?, after: String?) -> [AuditChange] {
        let octets = [before, after].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        guard octets <= readOctets else { return [] }
        return all(before: members(before), after: members(after), showing: beginning)
    }

    static func all(
        before: [String: JSONValue],
        after: [String: JSONValue],
        showing shown: (JSONValue) -> JSONValue = { $0 }
    ) -> [AuditChange] {
        Set(before.keys).union(after.keys).sorted().compactMap { name in
            guard before[name] != after[name] else { return nil }
            let (old, new) = (before[name].map(shown).flatMap(text), after[name].map(shown).flatMap(text))
            return AuditChange(name: AuditWords.member(name), before: old, after: new)
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

    /// What is no object has no members; the log shows the event all the same.
    private static func members(_ json: String?) -> [String: JSONValue] {
        guard let json, let value = try? JSON.decode(JSONValue.self, from: Array(json.utf8)),
            case .object(let members) = value
        else { return [:] }
        return members
    }

    private static func text(_ value: JSONValue) -> Words? {
        switch value {
        case .null: nil
        case .boolean(let flag):
            (flag ? Phrase("console.audit.yes") : Phrase("console.audit.no")).asWords
        case .integer(let number): .verbatim(String(number))
        case .number(let number): .verbatim(String(number))
        case .string(let text): .verbatim(text)
        case .array(let items):
            items.isEmpty ? Phrase("console.audit.nothing").asWords : .list(items.compactMap(text))
        case .object: .verbatim(String(decoding: JSON.encode(value), as: UTF8.self))
        }
    }
}
