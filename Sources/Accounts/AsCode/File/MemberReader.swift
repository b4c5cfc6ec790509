import Core
import Registry

/// Reader of the members of one JSON object, which collects an error for each invalid or unknown member.
struct MemberReader {
    let path: FieldPath
    private let members: [String: JSONValue]
    private var known: [String] = []
    private(set) var errors = FieldErrors()

    init(_ value: JSONValue, at path: FieldPath) {
        self.path = path
        if case .object(let members) = value {
            self.members = members
        } else {
            members = [:]
            errors.add(path, "This is not an object.")
        }
    }

    /// The text of a member, or nil when it is absent.
    mutating func text(_ name: String) -> String? { take(name, "a text") { $0.string } }

    /// The text of a required member as the code by which something is named; empty when it is absent.
    mutating func requiredCode(_ name: String) -> String { requiredText(name).typedCode }

    /// The text of a required member, or an empty text when it is absent.
    mutating func requiredText(_ name: String) -> String {
        if members[name] == nil { note(name, "This is required.") }
        return text(name) ?? ""
    }

    mutating func boolean(_ name: String) -> Bool? { take(name, "true or false") { $0.boolean } }

    mutating func texts(_ name: String) -> [String]? {
        guard let values = list(name) else { return nil }
        var texts: [String] = []
        for (index, value) in values.enumerated() {
            if let text = value.string {
                texts.append(text)
            } else {
                errors.add(path[name][index], "This must be a text.")
            }
        }
        return texts
    }

    /// The objects of a list, each read by `read`.
    mutating func objects<Value>(_ name: String, _ read: (inout MemberReader) -> Value) -> [Value]? {
        list(name)?.enumerated().map { index, value in
            var reader = MemberReader(value, at: path[name][index])
            let result = read(&reader)
            errors.add(reader.finished())
            return result
        }
    }

    /// One object, read by `read`; nil when it is absent or `null`.
    mutating func object<Value>(_ name: String, _ read: (inout MemberReader) -> Value) -> Value? {
        known.append(name)
        guard let value = members[name], value != .null else { return nil }
        var reader = MemberReader(value, at: path[name])
        let result = read(&reader)
        errors.add(reader.finished())
        return result
    }

    /// The object's identifier and settings.
    mutating func entry(_ kind: (some DeclaredSettings).Type) -> RegistryEntry {
        RegistryEntry(requiredCode("identifier"), settings(kind))
    }

    /// The settings that the object names, each of its kind.
    mutating func settings<Values: DeclaredSettings>(_: Values.Type) -> Typed {
        var typed: Typed = [:]
        for setting in Values.all {
            typed[setting.name] =
                switch setting.kind {
                case .line, .choice: text(setting.name).map(JSONValue.string)
                case .number: take(setting.name, "a whole number") { $0.integer.map(JSONValue.integer) }
                case .lines, .rows, .combination: texts(setting.name).map(JSONValue.strings)
                case .flag: boolean(setting.name).map(JSONValue.boolean)
                }
        }
        return typed
    }

    /// Whether the member is `null`.
    func isNull(_ name: String) -> Bool { members[name] == .null }

    mutating func note(_ name: String, _ message: String) { errors.add(path[name], message) }

    /// All errors, unknown members last; must be called after all known members are read.
    func finished() -> FieldErrors {
        var errors = errors
        for name in members.keys.filter({ !known.contains($0) }).sorted() {
            errors.add(path[name], Self.unknown(beside: known))
        }
        return errors
    }

    static func unknown(beside known: [String]) -> String {
        "Unknown member; allowed: \(known.joined(separator: ", "))."
    }

    /// Notes that the member is known, and must be a list.
    mutating func requireList(_ name: String) { _ = list(name) }

    private mutating func list(_ name: String) -> [JSONValue]? {
        take(name, "a list") { value in if case .array(let values) = value { values } else { nil } }
    }

    private mutating func take<Value>(_ name: String, _ kind: String, _ convert: (JSONValue) -> Value?) -> Value? {
        known.append(name)
        guard let member = members[name] else { return nil }
        guard let value = convert(member) else {
            note(name, "This must be \(kind).")
            return nil
        }
        return value
    }
}
