public import Bytes
public import Templates

/// One line of input with its label, hint and error.
public struct FieldView: Sendable {
    public var name: String
    public var label: Words
    public var type: String
    public var value: String
    public var autocomplete: String?
    public var placeholder: Words?
    public var hint: Words?
    public var error: Words?
    public var isRequired: Bool
    /// Shown in a monospaced face, without spelling help.
    public var isCode: Bool
    /// Goes before the name in the id, on a page with two fields of one name.
    public var place: String

    public init(
        _ name: String,
        in place: String = "",
        label: any Wording,
        type: String = "text",
        value: String = "",
        autocomplete: String? = nil,
        placeholder: (any Wording)? = nil,
        hint: (any Wording)? = nil,
        error: (any Wording)? = nil,
        isRequired: Bool = true,
        isCode: Bool = false
    ) {
        self.name = name
        self.label = label.asWords
        self.type = type
        self.value = value
        self.autocomplete = autocomplete
        self.placeholder = placeholder?.asWords
        self.hint = hint?.asWords
        self.error = error?.asWords
        self.isRequired = isRequired
        self.isCode = isCode
        self.place = place
    }

    /// The id of its element; templates and error links use it.
    public var id: String { "field-\(place)\(name)" }

    public static let fields = Fields<FieldView>()
        .text("id") { $0.id }
        .text("name") { $0.name }
        .words("label") { $0.label }
        .text("type") { $0.type }
        .text("value") { $0.value }
        .optionalText("autocomplete") { $0.autocomplete }
        .optionalWords("placeholder") { $0.placeholder }
        .optionalWords("hint") { $0.hint }
        .optionalWords("error") { $0.error }
        .flag("required") { $0.isRequired }
        .flag("code") { $0.isCode }
        .flag("secret") { $0.type == "password" }
}

/// One of a few, each with its explanation.
public struct ChoicesView: Sendable {
    public struct Option: Sendable {
        public let value: String
        public let text: Words
        public let hint: Words?
        public let isChecked: Bool

        public init(_ value: String, _ text: any Wording, hint: (any Wording)? = nil, isChecked: Bool) {
            self.value = value
            self.text = text.asWords
            self.hint = hint?.asWords
            self.isChecked = isChecked
        }

        static let fields = Fields<Option>()
            .text("value") { $0.value }
            .words("text") { $0.text }
            .optionalWords("hint") { $0.hint }
            .flag("checked") { $0.isChecked }
    }

    public let name: String
    public let label: Words
    public let help: Words?
    public let error: Words?
    public let options: [Option]

    public init(
        _ name: String,
        label: any Wording,
        help: (any Wording)? = nil,
        error: (any Wording)? = nil,
        options: [Option]
    ) {
        self.name = name
        self.label = label.asWords
        self.help = help?.asWords
        self.error = error?.asWords
        self.options = options
    }

    public static let fields = Fields<ChoicesView>()
        .text("id") { "field-\($0.name)" }
        .text("name") { $0.name }
        .words("label") { $0.label }
        .optionalWords("help") { $0.help }
        .optionalWords("error") { $0.error }
        .list("options", Option.fields) { $0.options }
}
