import Core
import HTTP
import Registry
import SignIn

extension FieldErrors {
    /// Error for deleting an object that has changed since its page was loaded.
    static let changedMeanwhile = FieldErrors("confirmation", Message("console.confirm.changed"))

    /// Runs `body`, which parses and saves; returns validation errors as a failure, and rethrows other errors.
    static func collect<Value>(_ body: () async throws -> Value) async throws -> Result<Value, FieldErrors> {
        do { return .success(try await body()) } catch let errors as FieldErrors { return .failure(errors) } catch let
            refusal as ValidationError
        { return .failure(FieldErrors(refusal)) }
    }

    /// The errors, those of a list's elements prefixed with their line unless the message contains it already.
    func naming(_ lines: TypedLines, of list: FieldPath) -> FieldErrors {
        map { error in
            guard let position = error.path.position, error.path == list[position],
                lines.all.indices.contains(position), !error.message.mentions(lines.all[position])
            else { return (error.path, error.message) }
            return (error.path, error.message.labelled(lines.all[position]))
        }
    }

    /// Lines of the error summary above a form; each names its field, if it has a label, and links to it.
    func links(to element: (FieldPath) -> String = \.element, named label: (FieldPath) -> Message?) -> [ErrorLink] {
        all.map { ErrorLink(to: element($0.path), label($0.path).map($0.message.labelled) ?? $0.message) }
    }

    /// Status of the page that shows the errors: 422 if there are any, else 200.
    var status: Status { isEmpty ? .ok : .unprocessableContent }
}

extension LocalizedText {
    /// The message after the name of what it is about.
    func labelled(_ label: any LocalizedTextConvertible) -> LocalizedText {
        Message("console.registry.field-error", ["field": label, "problem": self]).localizedText
    }

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
    /// The text, read as code.
    var trimmed: String { typedCode }
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
