import Bytes
import Domain
import HTTP
import Localization
import Registry
import Web

/// Form of an email source.
struct EmailSourceForm: ResourceForm {
    let source: String
    /// DKIM selectors, one per line.
    let selectors: TypedLines

    /// An empty form.
    init() { (source, selectors) = ("", TypedLines("", atMost: .selectors)) }

    init(_ form: Form) {
        source = form["source"] ?? ""
        selectors = TypedLines(form["selectors"] ?? "", atMost: .selectors)
    }

    init(_ source: RegisteredEmailSource) {
        self.source = source.source.text
        selectors = TypedLines(source.selectors.map(\.text).joined(separator: "\n"), atMost: .selectors)
    }

    /// The unparsed values for the existing source `source`, or for a new source with the typed name.
    func input(for source: EmailSource? = nil) -> EmailSource.Input {
        EmailSource.Input(source: source?.text ?? self.source.trimmed, selectors: selectors.all)
    }

    var fields: [FormCoding.Field] { [FormCoding.Field("selectors", selectors.text)] }

    func compared(with current: RegisteredEmailSource) -> [ConflictPage.Row] {
        [
            .init(
                label: Message("console.email-sources.selectors"),
                theirs: EmailSourceForm(current).selectors.all.joined(separator: ", "),
                yours: selectors.all.joined(separator: ", "))
        ]
    }

    func line(of field: String) -> String? { selectors.line(of: field, in: "selectors") }

    func element(of field: String) -> String { field.hasPrefix("selectors") ? "field-selectors" : "field-\(field)" }
}

// Form fields.
extension EmailSourceForm {
    func sourceField(_ problems: FormProblems) -> FieldView {
        FieldView(
            "source", label: Message("console.email-sources.source"), value: source, autocomplete: "off",
            placeholder: "acme.example", hint: Message("console.email-sources.source.hint"), error: problems["source"],
            isCode: true)
    }

    func selectorsArea(_ problems: FormProblems) -> TextareaView {
        TextareaView(
            "selectors", label: Message("console.email-sources.selectors"), value: selectors.text,
            hint: Message("console.email-sources.selectors.hint", ["limit": Quota.selectors.count]),
            errors: problems.sentences(of: "selectors"), lineCount: 3, isCode: true)
    }
}
