import Bytes
import HTTP
import Registry
import Web

/// What a person typed below something that cannot be undone.
struct Confirmation: Sendable {
    private let typed: String
    private let reasoning: Reason
    private let expected: String

    /// Before anything was typed.
    init(expecting expected: String) {
        self.expected = expected
        (typed, reasoning) = ("", Reason(""))
    }

    init(_ form: Form, expecting expected: String) {
        self.expected = expected
        typed = form["confirmation"] ?? ""
        reasoning = Reason(form["reason"])
    }

    /// The reason, for the audit log.
    ///
    /// - Throws: `FormProblems`.
    func reason() throws(FormProblems) -> String {
        var problems: [Registry.Problem] = []
        if let problem = Retyped(typed, expecting: expected).problem {
            problems.append(Registry.Problem(field: "confirmation", message: problem))
        }
        if let problem = reasoning.problem {
            problems.append(Registry.Problem(field: "reason", message: problem))
        }
        guard problems.isEmpty else { throw FormProblems(problems) }
        return reasoning.text
    }

    /// The form again, with what was typed and what is wrong with it.
    ///
    /// - Parameters:
    ///   - place: tells its fields from those of another such form on the page.
    ///   - hint: where the reason is kept.
    func view(
        in place: String = "",
        action: String,
        summary: any Wording,
        consequences: [any Wording],
        button: any Wording,
        hint: any Wording = Phrase("console.confirm.reason.hint"),
        version: Int = 0,
        _ problems: FormProblems
    ) -> DangerView {
        DangerView(
            action: action,
            summary: summary,
            consequences: consequences,
            expected: expected,
            confirmation: FieldView(
                "confirmation",
                in: place,
                label: Phrase("console.confirm.type", ["expected": expected]),
                value: typed,
                autocomplete: "off",
                error: problems["confirmation"],
                isCode: true
            ),
            reason: FieldView(
                "reason",
                in: place,
                label: Phrase("console.confirm.reason"),
                value: reasoning.typed,
                autocomplete: "off",
                hint: hint,
                error: problems["reason"]
            ),
            button: button,
            version: String(version)
        )
    }
}
