import Core
import HTTP
import Registry
import SignIn

/// Form that confirms an irreversible action: the retyped name of the object, and a reason.
struct Confirmation: Sendable {
    private let typed: String
    private let reasoning: Reason
    private let expected: String
    /// Errors of the submitted form; none for an empty form.
    private(set) var problems = FieldErrors()

    /// An empty form.
    init(expecting expected: String) {
        self.expected = expected
        (typed, reasoning) = ("", Reason(""))
    }

    /// A submitted form, with its errors.
    init(_ form: Form, expecting expected: String) {
        self.expected = expected
        typed = form["confirmation"] ?? ""
        reasoning = Reason(form["reason"])
        if let problem = Retyped(typed, expecting: expected).problem { problems.add("confirmation", problem) }
        if let problem = reasoning.problem { problems.add("reason", problem) }
    }

    /// The reason for the audit log; nil if the form has errors.
    var reason: String? { problems.isEmpty && !reasoning.text.isEmpty ? reasoning.text : nil }

    /// Status of the page that shows the form: 422 with errors, else 200.
    var status: Status { problems.status }

    /// The form with errors found after its own were checked, all beside the retyped name.
    func refused(for problems: FieldErrors) -> Confirmation {
        var refused = self
        refused.problems = problems.map { ("confirmation", $0.message) }
        return refused
    }

    /// The form with the values as typed, and the errors beside their fields.
    ///
    /// - Parameters:
    ///   - place: distinguishes the ids of its fields from those of another such form on the page.
    ///   - hint: help text that explains where the reason is stored.
    func view(
        in place: String = "", action: String, summary: any LocalizedTextConvertible,
        consequences: [any LocalizedTextConvertible], button: any LocalizedTextConvertible,
        hint: any LocalizedTextConvertible = Message("console.confirm.reason.hint"), version: Int = 0
    ) -> DangerView {
        DangerView(
            action: action, summary: summary, consequences: consequences, expected: expected,
            confirmation: Input(
                "confirmation", Message("console.confirm.type", ["expected": expected]), typed, in: place,
                errors: problems, isCode: true),
            reason: Input(
                "reason", Message("console.confirm.reason"), reasoning.typed, in: place, hint: hint, errors: problems),
            button: button, version: String(version))
    }
}

extension Retyped {
    /// Error beside the field, or nil if the input matches.
    var problem: Message? {
        switch difference {
        case nil: nil
        case .character(let position, let typed, let right):
            Message(
                "console.confirm.type.differs",
                ["expected": expected, "position": position, "typed": Self.name(typed), "right": Self.name(right)])
        case .missing(expected): Message("console.confirm.type.wrong", ["expected": expected])
        case .missing(let rest): Message("console.confirm.type.short", ["expected": expected, "rest": rest])
        case .surplus(let rest): Message("console.confirm.type.long", ["expected": expected, "rest": rest])
        }
    }

    /// Name of a character with its kind, because 0 and O look alike.
    private static func name(_ character: Unicode.Scalar) -> Message {
        let text = String(character)
        return switch character {
        case "0"..."9": Message("console.confirm.digit", ["character": text])
        case "a"..."z", "A"..."Z": Message("console.confirm.letter", ["character": text])
        default: Message("console.confirm.other", ["character": text])
        }
    }
}
