import Bytes
import HTTP
import Web

/// What was typed of a thing of the registry.
protocol ResourceForm: Sendable {
    associatedtype Value

    init(_ form: Form)
    /// Filled from what is registered.
    init(_ value: Value)

    /// The fields that can be edited, to be sent once more.
    var fields: [FormCoding.Field] { get }
    /// Each setting beside the one of `current`.
    func compared(with current: Value) -> [ConflictPage.Row]
    /// The element on the page that a problem with a field belongs to.
    func element(of field: String) -> String
    /// What stands in the line that a problem with a field is about, where the field holds one a line.
    func line(of field: String) -> String?
}

extension ResourceForm {
    func element(of field: String) -> String { "field-\(field)" }

    func line(of field: String) -> String? { nil }

    /// The lines above the form, each of which leads to its field.
    func summary(of problems: FormProblems) -> [FormError] {
        problems.summary { element(of: $0) }
    }
}

/// What a person sent from a thing's page and what could not be done as it was.
struct Unfinished<Form: Sendable>: Sendable {
    /// The form of its settings.
    var typed: (form: Form, version: Int)?
    /// The form that deletes it.
    var confirmation: Confirmation?
    private let problems: FormProblems

    /// The page as it is asked for.
    static var nothing: Unfinished { Unfinished(problems: .none) }

    init(typed form: Form, version: Int, _ problems: FormProblems) {
        typed = (form, version)
        self.problems = problems
    }

    init(_ confirmation: Confirmation, _ problems: FormProblems) {
        self.confirmation = confirmation
        self.problems = problems
    }

    private init(problems: FormProblems) {
        self.problems = problems
    }

    /// What is wrong with the settings.
    var settingProblems: FormProblems { typed == nil ? .none : problems }
    /// What is wrong with the confirmation.
    var confirmationProblems: FormProblems { confirmation == nil ? .none : problems }
    var status: Status { problems.status }
}
