public import Bytes
public import Templates

/// Several lines of input with their label, hint and error.
public struct TextareaView: Sendable {
    public let name: String
    public let label: Words
    public let value: String
    public let hint: Words?
    public let errors: [Words]
    public let lineCount: Int
    /// Shown in a monospaced face, without spelling help.
    public let isCode: Bool

    public init(
        _ name: String,
        label: any Wording,
        value: String = "",
        hint: (any Wording)? = nil,
        errors: [Words] = [],
        lineCount: Int = 3,
        isCode: Bool = false
    ) {
        self.name = name
        self.label = label.asWords
        self.value = value
        self.hint = hint?.asWords
        self.errors = errors
        self.lineCount = lineCount
        self.isCode = isCode
    }

    public static let fields = Fields<TextareaView>()
        .text("id") { "field-\($0.name)" }
        .text("name") { $0.name }
        .words("label") { $0.label }
        .text("value") { $0.value }
        .text("rows") { String($0.lineCount) }
        .optionalWords("hint") { $0.hint }
        .list("errors", Fields<Words>().words("text") { $0 }) { $0.errors }
        .flag("code") { $0.isCode }
}
