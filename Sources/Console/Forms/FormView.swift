import Core
import Platform
import Registry
import SignIn
import Templates

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

/// Page with the form for a new object of the registry.
struct NewPage: ConsolePage {
    static let template = "console/new"
    static let fields = frameFields.with {
        $0.group("back", LinkView.fields) { $0.back }
        $0.words("heading") { $0.heading }
        $0.optionalWords("about") { $0.about }
        $0.optionalGroup("standIn", StandInSetup.fields) { $0.standIn }
        $0.optionalGroup("form", FormView.fields) { $0.form }
        $0.words("button") { $0.button }
    }

    let frame: ConsoleFrame
    /// The list to which the object is added.
    let back: LinkView
    let heading: Message
    let about: Message?
    /// Nil while the team has no App ID that the object could belong to.
    let form: FormView?
    let button: Message
    /// Instructions for the Apple simulator, if it replaces Apple and the object is one of Apple's.
    let standIn: StandInSetup?

    init(
        _ context: TeamContext, _ heading: Message, about: Message? = nil, backTo back: LinkView, _ form: FormView?,
        button: Message, standIn: StandInSetup? = nil
    ) {
        frame = context.frame(heading)
        (self.back, self.heading, self.about) = (back, heading, about)
        (self.form, self.button, self.standIn) = (form, button, standIn)
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

/// Text of a field with one element per line, split into its lines.
struct TypedLines: Sendable {
    /// The text as typed, which the page shows again.
    let text: String
    /// The nonempty lines without surrounding white space.
    ///
    /// Lines after the first one beyond the limit are dropped; that one is kept so that the excess is detected.
    let all: [String]

    init(_ text: String, atMost limit: Quota) {
        self.text = text
        var lines: [String] = []
        var rest = text.unicodeScalars[...]
        while lines.count <= limit.count, !rest.isEmpty {
            let line = rest.prefix { !Self.endsLine($0) }
            rest = rest[line.endIndex...].dropFirst()
            let trimmed = String(line).trimmed
            if !trimmed.isEmpty { lines.append(trimmed) }
        }
        all = lines
    }

    /// The line that a field name such as `domains[1]` denotes, if it is a line of `list`.
    func line(of field: String, in list: String) -> String? {
        guard let number = FormProblems.position(in: list, of: field), all.indices.contains(number) else { return nil }
        return all[number]
    }

    /// The newline characters of the Unicode Standard, section 5.8.
    private static func endsLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
