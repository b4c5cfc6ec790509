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

    static func all(before: [String: JSONValue], after: [String: JSONValue]) -> [AuditChange] {
        Set(before.keys).union(after.keys).sorted().compactMap { name in
            guard before[name] != after[name] else { return nil }
            let (old, new) = (before[name].flatMap(text), after[name].flatMap(text))
            return AuditChange(name: AuditWords.member(name), before: old, after: new)
        }
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
