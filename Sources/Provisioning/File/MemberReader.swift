import Bytes
import Registry

/// Reads the members of one JSON object by name and notes what is wrong with each; whatever nobody asked for is
/// unknown, and a problem too.
struct MemberReader {
    let path: String
    private let members: [String: JSONValue]
    private var known: [String] = []
    private(set) var problems: [Problem] = []

    init(_ value: JSONValue, at path: String) {
        self.path = path
        if case .object(let members) = value {
            self.members = members
        } else {
            members = [:]
            problems = [Problem(field: path, message: "This is not an object.")]
        }
    }

    /// A text, or nil when there is none.
    mutating func text(_ name: String) -> String? {
        take(name, "a text") { $0.string }
    }

    /// A text that must be there; an empty one stands for it when it is not.
    mutating func requiredText(_ name: String) -> String {
        if members[name] == nil { note(name, "This is required.") }
        return text(name) ?? ""
    }

    mutating func boolean(_ name: String) -> Bool? {
        take(name, "true or false") { $0.boolean }
    }

    mutating func texts(_ name: String) -> [String]? {
        guard let values = list(name) else { return nil }
        var texts: [String] = []
        for (index, value) in values.enumerated() {
            if let text = value.string {
                texts.append(text)
            } else {
                note("\(name)[\(index)]", "This must be a text.")
            }
        }
        return texts
    }

    /// The objects of a list, each by `read`.
    mutating func objects<Value>(_ name: String, _ read: (inout MemberReader) -> Value) -> [Value]? {
        list(name)?.enumerated().map { index, value in
            var reader = MemberReader(value, at: field("\(name)[\(index)]"))
            let result = read(&reader)
            problems += reader.finished()
            return result
        }
    }

    /// One object, by `read`; nil where there is none, or `null`.
    mutating func object<Value>(_ name: String, _ read: (inout MemberReader) -> Value) -> Value? {
        known.append(name)
        guard let value = members[name], value != .null else { return nil }
        var reader = MemberReader(value, at: field(name))
        let result = read(&reader)
        problems += reader.finished()
        return result
    }

    /// Whether the member is there, and says that there is nothing.
    func isNull(_ name: String) -> Bool {
        members[name] == .null
    }

    mutating func note(_ name: String, _ message: String) {
        problems.append(Problem(field: field(name), message: message))
    }

    /// All problems, those with unknown members last; to be called when every known member has been asked for.
    func finished() -> [Problem] {
        let unknown = members.keys.filter { !known.contains($0) }.sorted()
        return problems
            + unknown.map { name in
                let message = "This member is unknown; here may stand \(known.joined(separator: ", "))."
                return Problem(field: field(name), message: message)
            }
    }

    private func field(_ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    private mutating func list(_ name: String) -> [JSONValue]? {
        take(name, "a list") { value in
            if case .array(let values) = value { values } else { nil }
        }
    }

    private mutating func take<Value>(
        _ name: String,
        _ kind: String,
        _ convert: (JSONValue) -> Value?
    ) -> Value? {
        known.append(name)
        guard let member = members[name] else { return nil }
        guard let value = convert(member) else {
            note(name, "This must be \(kind).")
            return nil
        }
        return value
    }
}
