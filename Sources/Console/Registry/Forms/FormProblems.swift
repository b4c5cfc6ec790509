import Bytes
import HTTP
import Registry
import Web

/// What is wrong with a form that was sent, each sentence beside its field.
struct FormProblems: Error, Sendable {
    let all: [Registry.Problem]

    static let none = FormProblems([])

    /// Something was to be deleted that somebody changed since its page was read.
    static let changedMeanwhile = FormProblems([
        Registry.Problem(
            field: "confirmation",
            message: Phrase("console.confirm.changed")
        )
    ])

    init(_ all: [Registry.Problem]) {
        self.all = all
    }

    /// Runs `body`, which parses and saves: what it refuses comes back as problems, what fails is thrown on.
    static func collect<Value>(_ body: () async throws -> Value) async throws -> Result<Value, FormProblems> {
        do {
            return .success(try await body())
        } catch let problems as Problems {
            return .failure(FormProblems(problems.all))
        } catch let refusal as Registry.Refusal {
            return .failure(FormProblems([Registry.Problem(refusal)]))
        }
    }

    /// What is wrong with the field.
    subscript(_ field: String) -> Words? {
        all.first { $0.field == field }?.message
    }

    /// What stands against a deletion, beside the field that confirms it.
    var ofConfirmation: FormProblems {
        FormProblems(all.map { Registry.Problem(field: "confirmation", message: $0.message) })
    }

    /// What is wrong with the elements of a list, by their position.
    func elements(of field: String) -> [(index: Int, message: Words)] {
        all.compactMap { problem in
            Self.position(in: field, of: problem.field).map { ($0, problem.message) }
        }
    }

    /// The position in a list that a field's name ends with: 1 for `domains[1]`.
    static func position(in list: String, of field: String) -> Int? {
        guard field.hasPrefix("\(list)["), field.hasSuffix("]") else { return nil }
        return Int(field.dropFirst(list.count + 1).dropLast())
    }

    /// What is wrong with a field that holds a list, a line each: the lines, then the list.
    func sentences(of field: String) -> [Words] {
        elements(of: field).map(\.message) + [self[field]].compactMap(\.self)
    }

    /// The same where each says which line it is about, unless its words do.
    ///
    /// - Parameter line: what stands in the line that a field names, where it names one.
    func naming(_ line: (_ field: String) -> String?) -> FormProblems {
        FormProblems(
            all.map { problem in
                guard let line = line(problem.field), !problem.message.mentions(line) else { return problem }
                let named = Phrase(
                    "console.registry.field-error",
                    ["field": line, "problem": problem.message]
                )
                return Registry.Problem(field: problem.field, message: named)
            }
        )
    }

    /// The summary above the form; each line names its field and leads to it.
    func summary(
        _ id: (String) -> String = { "field-\($0)" },
        label: (String) -> Phrase? = Self.label
    ) -> [FormError] {
        all.map { problem in
            guard let label = label(problem.field) else {
                return FormError(id: id(problem.field), message: problem.message)
            }
            let message = Phrase(
                "console.registry.field-error",
                ["field": label, "problem": problem.message]
            )
            return FormError(id: id(problem.field), message: message)
        }
    }

    private static let labels = [
        "identifier": Phrase("console.registry.identifier"),
        "description": Phrase("console.registry.description"), "primary": Phrase("console.registry.group"),
        "appID": Phrase("console.registry.app-id"),
        "domains": Phrase("console.registry.domains"), "returnURLs": Phrase("console.registry.return-urls"),
        "issuer": Phrase("console.registry.issuer"), "booleans": Phrase("console.registry.booleans"),
        "name": Phrase("console.registry.name"),
    ]

    static func label(of field: String) -> Phrase? {
        labels[String(field.prefix { $0 != "[" })]
    }

    /// Of the page that shows them.
    var status: Status { all.isEmpty ? .ok : .unprocessableContent }
}

extension Words {
    /// Whether the text stands among what was put into them, in whichever case.
    fileprivate func mentions(_ text: String) -> Bool {
        switch self {
        case .verbatim(let known): known.lowercased() == text.lowercased()
        case .phrase(let phrase): phrase.arguments.contains { $0.words.mentions(text) }
        case .list(let members): members.contains { $0.mentions(text) }
        case .number, .moment, .day: false
        }
    }
}
