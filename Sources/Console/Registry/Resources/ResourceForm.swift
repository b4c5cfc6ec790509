import Bytes
import HTTP
import Web

/// Form of an object in the registry, with the values as typed.
protocol ResourceForm: Sendable {
    associatedtype Value

    init(_ form: Form)
    /// The form filled from a registered object.
    init(_ value: Value)

    /// The editable fields, as hidden fields of the conflict page.
    var fields: [FormCoding.Field] { get }
    /// Each setting with its typed value and its value in `current`.
    func compared(with current: Value) -> [ConflictPage.Row]
    /// Id of the page element that shows the errors of a field.
    func element(of field: String) -> String
    /// Text of the line that a field name denotes, if the form field has one element per line; else nil.
    func line(of field: String) -> String?
}

extension ResourceForm {
    func element(of field: String) -> String { "field-\(field)" }

    func line(of field: String) -> String? { nil }

    /// Error summary above the form; each line links to its field.
    func summary(of problems: FormProblems) -> [FormError] { problems.summary { element(of: $0) } }
}

/// Rejected form of an object's page (settings or deletion) with its errors, to be shown again.
struct Unfinished<Form: Sendable>: Sendable {
    /// The settings form.
    var typed: (form: Form, version: Int)?
    /// The deletion form.
    var confirmation: Confirmation?
    private let problems: FormProblems

    /// No rejected form: the page as first requested.
    static var nothing: Unfinished { Unfinished(problems: .none) }

    init(typed form: Form, version: Int, _ problems: FormProblems) {
        typed = (form, version)
        self.problems = problems
    }

    init(_ confirmation: Confirmation, _ problems: FormProblems) {
        self.confirmation = confirmation
        self.problems = problems
    }

    private init(problems: FormProblems) { self.problems = problems }

    /// Errors of the settings form.
    var settingProblems: FormProblems { typed == nil ? .none : problems }
    /// Errors of the deletion form.
    var confirmationProblems: FormProblems { confirmation == nil ? .none : problems }
    var status: Status { problems.status }
}
