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
            message:
                "This was changed while you were looking at it. Here it is as it is now; read it and confirm once more."
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
    subscript(_ field: String) -> String? {
        all.first { $0.field == field }?.message
    }

    /// What is wrong with the elements of a list, by their position.
    func elements(of field: String) -> [(index: Int, message: String)] {
        all.compactMap { problem in
            guard problem.field.hasPrefix("\(field)["), problem.field.hasSuffix("]"),
                let index = Int(problem.field.dropFirst(field.utf8.count + 1).dropLast())
            else { return nil }
            return (index, problem.message)
        }
    }

    /// The summary above the form; each line names its field and leads to it.
    func summary(
        _ id: (String) -> String = { "field-\($0)" },
        label: (String) -> String? = Self.label
    ) -> [FormError] {
        all.map { problem in
            let label = label(problem.field).map { "\($0): " } ?? ""
            return FormError(id: id(problem.field), message: label + problem.message)
        }
    }

    private static let labels = [
        "identifier": "Identifier", "description": "Description", "primary": "Group", "appID": "App ID",
        "domains": "Domains", "returnURLs": "Return URLs", "issuer": "Issuer", "booleans": "Booleans",
        "name": "Name",
    ]

    static func label(of field: String) -> String? {
        labels[String(field.prefix { $0 != "[" })]
    }

    /// Of the page that shows them.
    var status: Status { all.isEmpty ? .ok : .unprocessableContent }
}
