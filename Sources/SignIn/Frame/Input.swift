public import Core
public import Templates

/// An input of a form, of any kind, with label, hint and errors.
public struct Input: Sendable {
    public enum Kind: Sendable {
        /// One line; the type of the element, such as `password`.
        case line(String)
        /// Several lines, of which so many are in sight.
        case lines(Int)
        /// As many lines of a private key, with a button that reads it from a file.
        case privateKey(lines: Int)
        /// Radio buttons, each with its explanation.
        case choices([Option])
        /// A drop-down list.
        case list([Option])
        /// A checkbox; browsers send `yes` if it is checked and nothing otherwise.
        case box(isChecked: Bool)
        /// Rows of one line; of the empty ones, pages show the first.
        case rows([Row])
    }

    public let name: String
    public let label: LocalizedText
    public var value: String
    public let kind: Kind
    public let autocomplete: String?
    public let placeholder: LocalizedText?
    public var hint: LocalizedText?
    public var errors: [LocalizedText]
    public let isRequired: Bool
    /// Whether the value is shown in a monospaced font, without spell checking.
    public let isCode: Bool
    /// Prefix of the name in the element id, for pages with two inputs of the same name.
    private let place: String

    /// - Parameters:
    ///   - place: prefix of the name in the element id, for pages with two inputs of the same name.
    ///   - errors: the errors of the whole form, of which the input shows its own.
    public init(
        _ name: String, _ label: any LocalizedTextConvertible, _ value: String = "", in place: String = "",
        as kind: Kind = .line("text"), autocomplete: String? = "off",
        placeholder: (any LocalizedTextConvertible)? = nil, hint: (any LocalizedTextConvertible)? = nil,
        errors: FieldErrors = FieldErrors(), isRequired: Bool = true, isCode: Bool = false
    ) {
        self.name = name
        self.label = label.localizedText
        self.value = value
        self.kind = kind
        self.autocomplete = autocomplete
        self.placeholder = placeholder?.localizedText
        self.hint = hint?.localizedText
        self.errors = errors.messages(of: FieldPath(name))
        self.isRequired = isRequired
        self.isCode = isCode
        self.place = place
    }

    private var type: String { if case .line(let type) = kind { type } else { "" } }
    private var lineCount: Int {
        switch kind {
        case .lines(let count), .privateKey(let count): count
        default: 1
        }
    }
    private var options: [Option] {
        switch kind {
        case .choices(let options), .list(let options): options
        default: []
        }
    }
    private var rows: [Row] { if case .rows(let rows) = kind { rows } else { [] } }

    public static let fields = Fields<Input> {
        $0.text("id") { "field-\($0.place)\($0.name)" }
        $0.text("name") { $0.name }
        $0.words("label") { $0.label }
        $0.text("value") { $0.value }
        $0.optionalText("autocomplete") { $0.autocomplete }
        $0.optionalWords("placeholder") { $0.placeholder }
        $0.optionalWords("hint") { $0.hint }
        $0.optionalWords("error") { $0.errors.first }
        $0.list("errors", Fields<LocalizedText> { $0.words("text") { $0 } }) { $0.errors }
        $0.flag("required") { $0.isRequired }
        $0.flag("code") { $0.isCode }

        $0.flag("line") { if case .line = $0.kind { true } else { false } }
        // Browsers refuse other letters than ASCII in a field of type `email`, or rewrite them.
        $0.text("type") { $0.type == "email" ? "text" : $0.type }
        $0.flag("email") { $0.type == "email" }
        $0.flag("secret") { $0.type == "password" }
        $0.flag("lines") { if case .lines = $0.kind { true } else { false } }
        $0.flag("privateKey") { if case .privateKey = $0.kind { true } else { false } }
        $0.integer("lineCount") { $0.lineCount }
        $0.flag("choices") { if case .choices = $0.kind { true } else { false } }
        $0.flag("list") { if case .list = $0.kind { true } else { false } }
        $0.list("options", Option.fields) { $0.options }
        $0.flag("box") { if case .box = $0.kind { true } else { false } }
        $0.flag("checked") { if case .box(true) = $0.kind { true } else { false } }
        $0.list("rows", Row.fields) { $0.rows }
    }

    /// One of several lines that are inputs of their own, of the same name.
    public struct Row: Sendable {
        let id: String
        let label: LocalizedText
        let value: String
        let error: LocalizedText?

        public init(id: String, _ label: any LocalizedTextConvertible, _ value: String, error: LocalizedText?) {
            (self.id, self.label, self.value, self.error) = (id, label.localizedText, value, error)
        }

        static let fields = Fields<Row> {
            $0.text("id") { $0.id }
            $0.words("label") { $0.label }
            $0.text("value") { $0.value }
            $0.optionalWords("error") { $0.error }
        }
    }
}

extension Input.Kind {
    /// Radio buttons for all values, with a text of the family for each, and another one, `hint`, that explains it.
    public static func choices<Value: RawRepresentable<String> & CaseIterable & Equatable>(
        in family: StaticString, chosen: Value?
    ) -> Input.Kind {
        .choices(
            Value.allCases.map { value in
                Option(
                    value.rawValue, Message(in: family, value.rawValue),
                    hint: Message(in: family, value.rawValue + ".hint"), isChosen: value == chosen)
            })
    }
}
