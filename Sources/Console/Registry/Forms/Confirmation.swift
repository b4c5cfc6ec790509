import Bytes
import HTTP
import Localization
import Registry
import Web

/// Form that confirms an irreversible action: the retyped name of the object, and a reason.
struct Confirmation: Sendable {
    private let typed: String
    private let reasoning: Reason
    private let expected: String

    /// An empty form.
    init(expecting expected: String) {
        self.expected = expected
        (typed, reasoning) = ("", Reason(""))
    }

    init(_ form: Form, expecting expected: String) {
        self.expected = expected
        typed = form["confirmation"] ?? ""
        reasoning = Reason(form["reason"])
    }

    /// The reason for the audit log, if both fields are valid.
    ///
    /// - Throws: `FormProblems`.
    func reason() throws(FormProblems) -> String {
        var problems: [FieldError] = []
        if let problem = Retyped(typed, expecting: expected).problem {
            problems.append(FieldError(field: "confirmation", message: problem))
        }
        if let problem = reasoning.problem { problems.append(FieldError(field: "reason", message: problem)) }
        guard problems.isEmpty else { throw FormProblems(problems) }
        return reasoning.text
    }

    /// The form with the values as typed, and the errors beside their fields.
    ///
    /// - Parameters:
    ///   - place: distinguishes the ids of its fields from those of another such form on the page.
    ///   - hint: help text that explains where the reason is stored.
    func view(
        in place: String = "", action: String, summary: any LocalizedTextConvertible,
        consequences: [any LocalizedTextConvertible], button: any LocalizedTextConvertible,
        hint: any LocalizedTextConvertible = Message("console.confirm.reason.hint"), version: Int = 0,
        _ problems: FormProblems
    ) -> DangerView {
        DangerView(
            action: action, summary: summary, consequences: consequences, expected: expected,
            confirmation: FieldView(
                "confirmation", in: place, label: Message("console.confirm.type", ["expected": expected]), value: typed,
                autocomplete: "off", error: problems["confirmation"], isCode: true),
            reason: FieldView(
                "reason", in: place, label: Message("console.confirm.reason"), value: reasoning.typed,
                autocomplete: "off", hint: hint, error: problems["reason"]), button: button, version: String(version))
    }
}
