import Bytes
import HTTP
import Registry
import Web

/// What was typed of an e-mail source.
struct EmailSourceForm: ResourceForm {
    let source: String
    /// One DKIM selector a line.
    let selectors: TypedLines

    /// An empty form.
    init() {
        (source, selectors) = ("", TypedLines("", atMost: .selectors))
    }

    init(_ form: Form) {
        source = form["source"] ?? ""
        selectors = TypedLines(form["selectors"] ?? "", atMost: .selectors)
    }

    init(_ source: RegisteredEmailSource) {
        self.source = source.source.text
        selectors = TypedLines(source.selectors.map(\.text).joined(separator: "\n"), atMost: .selectors)
    }

    /// What was typed, of the source `source`, or of the one that was typed.
    func input(for source: EmailSource? = nil) -> EmailSource.Input {
        EmailSource.Input(source: source?.text ?? self.source.trimmed, selectors: selectors.all)
    }

    var fields: [FormCoding.Field] { [FormCoding.Field("selectors", selectors.text)] }

    func compared(with current: RegisteredEmailSource) -> [ConflictPage.Row] {
        [
            .init(
                label: Phrase("console.email-sources.selectors"),
                theirs: EmailSourceForm(current).selectors.all.joined(separator: ", "),
                yours: selectors.all.joined(separator: ", ")
            )
        ]
    }

    func line(of field: String) -> String? { selectors.line(of: field, in: "selectors") }

    func element(of field: String) -> String {
        field.hasPrefix("selectors") ? "field-selectors" : "field-\(field)"
    }
}

// The fields as pages show them.
extension EmailSourceForm {
    func sourceField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "source",
            label: Phrase("console.email-sources.source"),
            value: source,
            autocomplete: "off",
            placeholder: "acme.example",
            hint: Phrase("console.email-sources.source.hint"),
            error: problems["source"],
            isCode: true
        )
    }

    func selectorsArea(_ problems: FormProblems) -> TextareaView {
        TextareaView(
            "selectors",
            label: Phrase("console.email-sources.selectors"),
            value: selectors.text,
            hint: Phrase("console.email-sources.selectors.hint", ["limit": Limit.selectors.count]),
            errors: problems.sentences(of: "selectors"),
            lineCount: 3,
            isCode: true
        )
    }
}
