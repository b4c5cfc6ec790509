import Core
import Directory
import Platform

extension AuditEvent {
    private static let nouns = [
        "app_id": "App ID", "service_id": "Service ID", "apple_key": "key from Apple",
        "apple_connection": "connection to Apple of", "email_source": "email source",
    ]

    /// The event as a line of a plan: `+` for additions, `~` for updates, `-` for removals.
    ///
    /// - Parameter logins: login names of users, members and invited people, whom the log knows by ids alone.
    func line(naming logins: [String: LoginName]) -> String {
        let noun = Self.nouns[target.kind] ?? target.kind.replacing("_", with: " ")
        let thing = "\(noun) \(logins[target.name]?.rawValue ?? target.name)"
        let (resource, verb) = (action.prefix { $0 != "." }, action.drop { $0 != "." }.dropFirst())
        let part = resource == target.kind ? "" : "\(resource.replacing("_", with: " ")) "
        switch verb {
        case "created", "registered", "imported", "sent", "added": return "+ \(thing)\(parent(after))\(role)\(lack)"
        case "deleted", "revoked", "withdrawn", "removed": return "- \(thing)\(parent(before))\(with)"
        case "updated" where part.isEmpty, "role_changed": return "~ \(thing): \(differences)"
        default: return "~ \(thing): \(part)\(verb)"
        }
    }

    private func parent(_ members: JSONValue?) -> String { members?["appID"]?.string.map { " of \($0)" } ?? "" }

    private var role: String { after?["role"]?.string.map { " as \($0)" } ?? "" }

    private var lack: String { after?["hasPassword"] == false ? ", without a password" : "" }

    /// What is deleted with it.
    private var with: String {
        let parts = ["serviceIDs", "keys", "appleKeys"].compactMap { name in
            before?[name].flatMap { $0.strings.isEmpty ? nil : "\(name) \($0.strings.joined(separator: ", "))" }
        }
        return parts.isEmpty ? "" : ", with \(parts.joined(separator: ", "))"
    }

    /// The members that differ, in alphabetical order.
    private var differences: String {
        guard case .object(let new) = after ?? .null else { return "" }
        if let changed = new["changed"] { return changed.strings.joined(separator: ", ") }
        return new.sorted { $0.key < $1.key }.map { name, new in
            Self.difference(name, from: before?[name] ?? .null, to: new)
        }.joined(separator: ", ")
    }

    /// Added and removed elements of a list; when there are none, its order differs.
    private static func difference(_ name: String, from old: JSONValue, to new: JSONValue) -> String {
        guard case .array = new else { return "\(name) \"\(old.shown)\" → \"\(new.shown)\"" }
        let (old, new) = (old.strings, new.strings)
        let marks =
            new.filter { !old.contains($0) }.map { "+ \($0)" } + old.filter { !new.contains($0) }.map { "- \($0)" }
        return "\(name) \(marks.isEmpty ? "in another order" : marks.joined(separator: " "))"
    }
}

extension JSONValue {
    fileprivate var shown: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        default: string ?? ""
        }
    }
}
