import Core
import Platform
import Registry
import SignIn
import Templates

/// A form on a page: where it is sent, its errors and its inputs.
struct FormView: Sendable {
    let action: String
    /// URL that checks the inputs while they are typed.
    var checkURL: String?
    /// Version of the object that the form changes; nil if it changes none.
    var version: Int?
    let errors: [FormError]
    let inputs: [InputView]
    /// Inputs of a second part of the form.
    var more: [InputView] = []

    static let fields = Fields<FormView> {
        $0.text("action") { $0.action }
        $0.optionalText("checkURL") { $0.checkURL }
        $0.optionalText("version") { $0.version.map { String($0) } }
        $0.list("errors", FormError.fields) { $0.errors }
        $0.list("inputs", InputView.fields) { $0.inputs }
        $0.list("more", Fields<[InputView]> { $0.list("inputs", InputView.fields) { $0 } }) { form in
            form.more.isEmpty ? [] : [form.more]
        }
    }
}

/// An input of a form, of any kind.
enum InputView: Sendable {
    case field(FieldView)
    case textarea(TextareaView)
    case select(SelectView)
    case choices(ChoicesView)
    case checkbox(CheckboxView)
    case returnURLs(ReturnURLsView)
    /// The content of a private key, with a button that reads it from a file.
    case privateKey(TextareaView)

    static let fields = Fields<InputView> {
        $0.optionalGroup("field", FieldView.fields) { if case .field(let view) = $0 { view } else { nil } }
        $0.optionalGroup("textarea", TextareaView.fields) { if case .textarea(let view) = $0 { view } else { nil } }
        $0.optionalGroup("select", SelectView.fields) { if case .select(let view) = $0 { view } else { nil } }
        $0.optionalGroup("choices", ChoicesView.fields) { if case .choices(let view) = $0 { view } else { nil } }
        $0.optionalGroup("checkbox", CheckboxView.fields) { if case .checkbox(let view) = $0 { view } else { nil } }
        $0.optionalGroup("returnURLs", ReturnURLsView.fields) {
            if case .returnURLs(let view) = $0 { view } else { nil }
        }
        $0.optionalGroup("privateKey", TextareaView.fields) { if case .privateKey(let view) = $0 { view } else { nil } }
    }

    /// A field of one line, which the browser does not fill in.
    static func text(
        _ name: String, _ label: Message, _ value: String, type: String = "text",
        placeholder: (any LocalizedTextConvertible)? = nil, hint: Message? = nil,
        error: (any LocalizedTextConvertible)? = nil, isRequired: Bool = true, isCode: Bool = false
    ) -> InputView {
        .field(
            FieldView(
                name, label: label, type: type, value: value, autocomplete: "off", placeholder: placeholder, hint: hint,
                error: error, isRequired: isRequired, isCode: isCode))
    }

    /// Selection list of App IDs.
    ///
    /// - Parameter none: the choice that stands for no App ID; nil if one has to be chosen.
    static func appIDs(
        _ appIDs: [AppID], chosen: String, _ name: String = "appID", label: Message, hint: Message? = nil,
        error: LocalizedText? = nil, none: Message? = nil
    ) -> InputView {
        let known = appIDs.map {
            SelectView.Option(
                $0.identifier.rawValue,
                Message(
                    "console.registry.option", ["description": $0.description, "identifier": $0.identifier.rawValue]),
                isSelected: $0.identifier.rawValue == chosen)
        }
        let none = none.map { [SelectView.Option("", $0, isSelected: chosen.isEmpty)] } ?? []
        return .select(SelectView(name, label: label, hint: hint, error: error, options: none + known))
    }
}

/// A read-only setting, for members without the right to change it.
struct SettingView: Sendable {
    let label: LocalizedText
    let value: LocalizedText

    init(_ label: any LocalizedTextConvertible, _ value: any LocalizedTextConvertible) {
        self.label = label.localizedText
        self.value = value.localizedText
    }

    static let fields = Fields<SettingView> {
        $0.words("label") { $0.label }
        $0.words("value") { $0.value }
    }
}

/// A link with its words.
struct LinkView: Sendable {
    let words: LocalizedText
    let url: String
    /// Whether it is what most members come for.
    let isPrimary: Bool

    init(_ words: any LocalizedTextConvertible, _ url: String, isPrimary: Bool = false) {
        self.words = words.localizedText
        self.url = url
        self.isPrimary = isPrimary
    }

    static let fields = Fields<LinkView> {
        $0.words("words") { $0.words }
        $0.text("url") { $0.url }
        $0.flag("primary") { $0.isPrimary }
    }
}

/// Input rows for return URLs with their errors: ten, or more if more were typed.
///
/// The rows after the first `spare` empty ones are collapsed.
struct ReturnURLsView: Sendable {
    struct Row: Sendable {
        let number: Int
        let value: String
        let error: LocalizedText?

        var id: String { ReturnURLsView.id(ofRow: number - 1) }

        static let fields = Fields<Row> {
            $0.text("id") { $0.id }
            $0.words("label") { Message("console.service-ids.return-url", ["number": $0.number]) }
            $0.text("value") { $0.value }
            $0.optionalWords("error") { $0.error }
        }
    }

    /// Number of visible empty rows.
    private static let spare = 2

    let rows: [Row]
    private let inSight: Int

    init(typed: [String], problems: [Int: LocalizedText]) {
        rows = (0..<max(Quota.returnURLs.count, typed.count)).map { index in
            Row(number: index + 1, value: index < typed.count ? typed[index] : "", error: problems[index])
        }
        let used = (rows.lastIndex { !$0.value.isEmpty || $0.error != nil } ?? -1) + 1
        inSight = min(rows.count, used + Self.spare)
    }

    static func id(ofRow index: Int) -> String { "return-url-\(index + 1)" }

    static let fields = Fields<ReturnURLsView> {
        $0.words("hint") { _ in Message("console.service-ids.return-urls.hint", ["limit": Quota.returnURLs.count]) }
        $0.list("rows", Row.fields) { Array($0.rows.prefix($0.inSight)) }
        $0.list("more", Row.fields) { Array($0.rows.dropFirst($0.inSight)) }
    }
}
