import Core
import HTTP
import Registry
import SignIn

/// Validation errors of a submitted form, each with the field that it concerns.
struct FormProblems: Error, Sendable {
    let all: [FieldError]

    static let none = FormProblems([])

    /// Error for deleting an object that has changed since its page was loaded.
    static let changedMeanwhile = FormProblems([
        FieldError(field: "confirmation", message: Message("console.confirm.changed"))
    ])

    init(_ all: [FieldError]) { self.all = all }

    var isEmpty: Bool { all.isEmpty }

    /// Runs `body`, which parses and saves; returns validation errors as a failure, and rethrows other errors.
    static func collect<Value>(_ body: () async throws -> Value) async throws -> Result<Value, FormProblems> {
        do { return .success(try await body()) } catch let problems as InvalidFields {
            return .failure(FormProblems(problems.all))
        } catch let refusal as ValidationError { return .failure(FormProblems([FieldError(refusal)])) }
    }

    /// The first error of the field, or nil.
    subscript(_ field: String) -> LocalizedText? { all.first { $0.field == field }?.message }

    /// Errors of the elements of a list, with their positions.
    func elements(of field: String) -> [(index: Int, message: LocalizedText)] {
        all.compactMap { problem in Self.position(in: field, of: problem.field).map { ($0, problem.message) } }
    }

    /// Position of a list element, from the end of its field name: 1 for `domains[1]`.
    static func position(in list: String, of field: String) -> Int? {
        guard field.hasPrefix("\(list)["), field.hasSuffix("]") else { return nil }
        return Int(field.dropFirst(list.count + 1).dropLast())
    }

    /// Errors of a field with one element per line: those of the elements, then that of the list.
    func sentences(of field: String) -> [LocalizedText] {
        elements(of: field).map(\.message) + [self[field]].compactMap(\.self)
    }

    /// The errors, those of lines prefixed with the text of their line unless the message contains it already.
    ///
    /// - Parameter line: returns the text of the line that a field name denotes, or nil if it denotes none.
    func naming(_ line: (_ field: String) -> String?) -> FormProblems {
        FormProblems(
            all.map { problem in
                guard let line = line(problem.field), !problem.message.mentions(line) else { return problem }
                let named = Message("console.registry.field-error", ["field": line, "problem": problem.message])
                return FieldError(field: problem.field, message: named)
            })
    }

    /// Error summary above the form; each line names its field and links to it.
    func summary(_ id: (String) -> String = { "field-\($0)" }, label: (String) -> Message? = Self.label) -> [FormError]
    {
        all.map { problem in
            guard let label = label(problem.field) else {
                return FormError(id: id(problem.field), message: problem.message)
            }
            let message = Message("console.registry.field-error", ["field": label, "problem": problem.message])
            return FormError(id: id(problem.field), message: message)
        }
    }

    private static let labels = [
        "identifier": Message("console.registry.identifier"), "description": Message("console.registry.description"),
        "primary": Message("console.registry.group"), "appID": Message("console.registry.app-id"),
        "domains": Message("console.registry.domains"), "returnURLs": Message("console.registry.return-urls"),
        "issuer": Message("console.registry.issuer"), "booleans": Message("console.registry.booleans"),
        "name": Message("console.registry.name"),
    ]

    static func label(of field: String) -> Message? { labels[String(field.prefix { $0 != "[" })] }

    /// Status of the page that shows the errors: 422 if there are any, else 200.
    var status: Status { all.isEmpty ? .ok : .unprocessableContent }
}

extension LocalizedText {
    /// Whether the text is the value of an argument, ignoring case.
    fileprivate func mentions(_ text: String) -> Bool {
        switch self {
        case .verbatim(let known): known.lowercased() == text.lowercased()
        case .message(let message): message.arguments.contains { $0.words.mentions(text) }
        case .list(let members): members.contains { $0.mentions(text) }
        case .number, .moment, .day: false
        }
    }
}

extension String {
    /// The text without surrounding white space, which pasting often adds.
    var trimmed: String { trimmedWhiteSpace }
}

extension Form {
    /// Whether a check box is checked: a browser sends the field only then.
    func isChecked(_ name: String) -> Bool { self[name] != nil }

    /// Version of the row from which the form was filled.
    ///
    /// - Throws: `UserFacingError.staleForm` if there is none, because the console's own form always sends it.
    func version() throws(UserFacingError) -> Int {
        guard let text = self["version"], let version = Int(text) else { throw .staleForm }
        return version
    }
}
