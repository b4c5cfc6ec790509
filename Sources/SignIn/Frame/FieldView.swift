public import Core
public import Templates

/// A single-line input with label, hint and error.
public struct FieldView: Sendable {
    public var name: String
    public var label: LocalizedText
    public var type: String
    public var value: String
    public var autocomplete: String?
    public var placeholder: LocalizedText?
    public var hint: LocalizedText?
    public var error: LocalizedText?
    public var isRequired: Bool
    /// Whether the value is shown in a monospaced font, without spell checking.
    public var isCode: Bool
    /// Prefix of the name in the element id, for pages with two fields of the same name.
    public var place: String

    public init(
        _ name: String, in place: String = "", label: any LocalizedTextConvertible, type: String = "text",
        value: String = "", autocomplete: String? = nil, placeholder: (any LocalizedTextConvertible)? = nil,
        hint: (any LocalizedTextConvertible)? = nil, error: (any LocalizedTextConvertible)? = nil,
        isRequired: Bool = true, isCode: Bool = false
    ) {
        self.name = name
        self.label = label.localizedText
        self.type = type
        self.value = value
        self.autocomplete = autocomplete
        self.placeholder = placeholder?.localizedText
        self.hint = hint?.localizedText
        self.error = error?.localizedText
        self.isRequired = isRequired
        self.isCode = isCode
        self.place = place
    }

    /// Id of the input element, used by templates and error links.
    public var id: String { "field-\(place)\(name)" }

    public static let fields = Fields<FieldView> {
        $0.text("id") { $0.id }
        $0.text("name") { $0.name }
        $0.words("label") { $0.label }
        // Browsers refuse other letters than ASCII in a field of type `email`, or rewrite them.
        $0.text("type") { $0.type == "email" ? "text" : $0.type }
        $0.flag("email") { $0.type == "email" }
        $0.text("value") { $0.value }
        $0.optionalText("autocomplete") { $0.autocomplete }
        $0.optionalWords("placeholder") { $0.placeholder }
        $0.optionalWords("hint") { $0.hint }
        $0.optionalWords("error") { $0.error }
        $0.flag("required") { $0.isRequired }
        $0.flag("code") { $0.isCode }
        $0.flag("secret") { $0.type == "password" }
    }
}

/// Radio buttons, each with its explanation.
public struct ChoicesView: Sendable {
    public struct Option: Sendable {
        public let value: String
        public let text: LocalizedText
        public let hint: LocalizedText?
        public let isChecked: Bool

        public init(
            _ value: String, _ text: any LocalizedTextConvertible, hint: (any LocalizedTextConvertible)? = nil,
            isChecked: Bool
        ) {
            self.value = value
            self.text = text.localizedText
            self.hint = hint?.localizedText
            self.isChecked = isChecked
        }

        static let fields = Fields<Option> {
            $0.text("value") { $0.value }
            $0.words("text") { $0.text }
            $0.optionalWords("hint") { $0.hint }
            $0.flag("checked") { $0.isChecked }
        }
    }

    public let name: String
    public let label: LocalizedText
    public let help: LocalizedText?
    public let error: LocalizedText?
    public let options: [Option]

    public init(
        _ name: String, label: any LocalizedTextConvertible, help: (any LocalizedTextConvertible)? = nil,
        error: (any LocalizedTextConvertible)? = nil, options: [Option]
    ) {
        self.name = name
        self.label = label.localizedText
        self.help = help?.localizedText
        self.error = error?.localizedText
        self.options = options
    }

    public static let fields = Fields<ChoicesView> {
        $0.text("id") { "field-\($0.name)" }
        $0.text("name") { $0.name }
        $0.words("label") { $0.label }
        $0.optionalWords("help") { $0.help }
        $0.optionalWords("error") { $0.error }
        $0.list("options", Option.fields) { $0.options }
    }
}

/// A drop-down list with label, hint and error.
public struct SelectView: Sendable {
    public struct Option: Sendable {
        public let value: String
        public let label: LocalizedText
        public let isSelected: Bool

        public init(_ value: String, _ label: any LocalizedTextConvertible, isSelected: Bool) {
            self.value = value
            self.label = label.localizedText
            self.isSelected = isSelected
        }

        static let fields = Fields<Option> {
            $0.text("value") { $0.value }
            $0.words("label") { $0.label }
            $0.flag("selected") { $0.isSelected }
        }
    }

    public let name: String
    public let label: LocalizedText
    public let hint: LocalizedText?
    public let error: LocalizedText?
    public let options: [Option]

    public init(
        _ name: String, label: any LocalizedTextConvertible, hint: (any LocalizedTextConvertible)? = nil,
        error: (any LocalizedTextConvertible)? = nil, options: [Option]
    ) {
        self.name = name
        self.label = label.localizedText
        self.hint = hint?.localizedText
        self.error = error?.localizedText
        self.options = options
    }

    public static let fields = Fields<SelectView> {
        $0.text("id") { "field-\($0.name)" }
        $0.text("name") { $0.name }
        $0.words("label") { $0.label }
        $0.optionalWords("hint") { $0.hint }
        $0.optionalWords("error") { $0.error }
        $0.list("options", Option.fields) { $0.options }
    }
}

/// A multi-line input with label, hint and errors.
public struct TextareaView: Sendable {
    public let name: String
    public let label: LocalizedText
    public let value: String
    public let hint: LocalizedText?
    public let errors: [LocalizedText]
    public let lineCount: Int
    /// Whether the value is shown in a monospaced font, without spell checking.
    public let isCode: Bool

    public init(
        _ name: String, label: any LocalizedTextConvertible, value: String = "",
        hint: (any LocalizedTextConvertible)? = nil, errors: [LocalizedText] = [], lineCount: Int = 3,
        isCode: Bool = false
    ) {
        self.name = name
        self.label = label.localizedText
        self.value = value
        self.hint = hint?.localizedText
        self.errors = errors
        self.lineCount = lineCount
        self.isCode = isCode
    }

    public static let fields = Fields<TextareaView> {
        $0.text("id") { "field-\($0.name)" }
        $0.text("name") { $0.name }
        $0.words("label") { $0.label }
        $0.text("value") { $0.value }
        $0.text("rows") { String($0.lineCount) }
        $0.optionalWords("hint") { $0.hint }
        $0.list("errors", Fields<LocalizedText> { $0.words("text") { $0 } }) { $0.errors }
        $0.flag("code") { $0.isCode }
    }
}

/// A checkbox with label and hint; browsers send `yes` if it is checked and nothing otherwise.
public struct CheckboxView: Sendable {
    public let name: String
    public let label: LocalizedText
    public let hint: LocalizedText?
    public let isChecked: Bool

    public init(
        _ name: String, label: any LocalizedTextConvertible, hint: (any LocalizedTextConvertible)? = nil,
        isChecked: Bool
    ) {
        self.name = name
        self.label = label.localizedText
        self.hint = hint?.localizedText
        self.isChecked = isChecked
    }

    public static let fields = Fields<CheckboxView> {
        $0.text("id") { "field-\($0.name)" }
        $0.text("name") { $0.name }
        $0.words("label") { $0.label }
        $0.flag("checked") { $0.isChecked }
        $0.optionalWords("hint") { $0.hint }
    }
}
