import Bytes
import HTTP
import Registry
import Web

/// What a person typed below something that cannot be undone.
struct Confirmation: Sendable {
    private static let reasonLimit = 500

    private let typed: String
    private let typedReason: String
    private let expected: String

    /// Before anything was typed.
    init(expecting expected: String) {
        self.expected = expected
        (typed, typedReason) = ("", "")
    }

    init(_ form: Form, expecting expected: String) {
        self.expected = expected
        typed = form["confirmation"] ?? ""
        typedReason = form["reason"] ?? ""
    }

    /// The reason, for the audit log.
    ///
    /// - Throws: `FormProblems`.
    func reason() throws(FormProblems) -> String {
        var problems: [Registry.Problem] = []
        if let problem = Retyped(typed, expecting: expected).problem(expecting: expected) {
            problems.append(Registry.Problem(field: "confirmation", message: problem))
        }
        let reason = String(
            String.UnicodeScalarView(typedReason.unicodeScalars.map { $0.properties.isWhitespace ? " " : $0 })
        ).trimmed
        if reason.isEmpty {
            problems.append(
                Registry.Problem(field: "reason", message: Phrase("console.confirm.reason.missing"))
            )
        } else if reason.unicodeScalars.count > Self.reasonLimit || reason.utf8.contains(where: { $0 < 0x20 })
        {
            let message = Phrase("console.confirm.reason.too-long", count: Self.reasonLimit)
            problems.append(Registry.Problem(field: "reason", message: message))
        }
        guard problems.isEmpty else { throw FormProblems(problems) }
        return reason
    }

    /// The form again, with what was typed and what is wrong with it.
    ///
    /// - Parameter place: tells its fields from those of another such form on the page.
    func view(
        in place: String = "",
        action: String,
        summary: any Wording,
        consequences: [any Wording],
        button: any Wording,
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
                value: typedReason,
                autocomplete: "off",
                hint: Phrase("console.confirm.reason.hint"),
                error: problems["reason"]
            ),
            button: button,
            version: String(version)
        )
    }
}
