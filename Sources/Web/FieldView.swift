public import Templates

/// One line of input with its label, hint and error.
public struct FieldView: Sendable {
    public var name: String
    public var label: String
    public var type: String
    public var value: String
    public var autocomplete: String?
    public var placeholder: String?
    public var hint: String?
    public var error: String?
    public var isRequired: Bool
    /// Shown in a monospaced face, without spelling help.
    public var isCode: Bool

    public init(
        _ name: String,
        label: String,
        type: String = "text",
        value: String = "",
        autocomplete: String? = nil,
        placeholder: String? = nil,
        hint: String? = nil,
        error: String? = nil,
        isRequired: Bool = true,
        isCode: Bool = false
    ) {
        self.name = name
        self.label = label
        self.type = type
        self.value = value
        self.autocomplete = autocomplete
        self.placeholder = placeholder
        self.hint = hint
        self.error = error
        self.isRequired = isRequired
        self.isCode = isCode
    }

    /// The id of its element; templates and error links use it.
    public var id: String { "field-\(name)" }

    public static let fields = Fields<FieldView>()
        .text("id") { $0.id }
        .text("name") { $0.name }
        .text("label") { $0.label }
        .text("type") { $0.type }
        .text("value") { $0.value }
        .optionalText("autocomplete") { $0.autocomplete }
        .optionalText("placeholder") { $0.placeholder }
        .optionalText("hint") { $0.hint }
        .optionalText("error") { $0.error }
        .flag("required") { $0.isRequired }
        .flag("code") { $0.isCode }
}

/// One of a few, each with its explanation.
public struct ChoicesView: Sendable {
    public struct Option: Sendable {
        public let value: String
        public let text: String
        public let hint: String?
        public let isChecked: Bool

        public init(_ value: String, _ text: String, hint: String? = nil, isChecked: Bool) {
            self.value = value
            self.text = text
            self.hint = hint
            self.isChecked = isChecked
        }

        static let fields = Fields<Option>()
            .text("value") { $0.value }
            .text("text") { $0.text }
            .optionalText("hint") { $0.hint }
            .flag("checked") { $0.isChecked }
    }

    public let name: String
    public let label: String
    public let help: String?
    public let error: String?
    public let options: [Option]

    public init(
        _ name: String,
        label: String,
        help: String? = nil,
        error: String? = nil,
        options: [Option]
    ) {
        self.name = name
        self.label = label
        self.help = help
        self.error = error
        self.options = options
    }

    public static let fields = Fields<ChoicesView>()
        .text("id") { "field-\($0.name)" }
        .text("name") { $0.name }
        .text("label") { $0.label }
        .optionalText("help") { $0.help }
        .optionalText("error") { $0.error }
        .list("options", Option.fields) { $0.options }
}
