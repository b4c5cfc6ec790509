public import Core
public import Templates

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
