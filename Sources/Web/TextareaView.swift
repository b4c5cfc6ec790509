public import Templates

/// Several lines of input with their label, hint and error.
public struct TextareaView: Sendable {
    public let name: String
    public let label: String
    public let value: String
    public let hint: String?
    public let error: String?
    public let lineCount: Int
    /// Shown in a monospaced face, without spelling help.
    public let isCode: Bool

    public init(
        _ name: String,
        label: String,
        value: String = "",
        hint: String? = nil,
        error: String? = nil,
        lineCount: Int = 3,
        isCode: Bool = false
    ) {
        self.name = name
        self.label = label
        self.value = value
        self.hint = hint
        self.error = error
        self.lineCount = lineCount
        self.isCode = isCode
    }

    public static let fields = Fields<TextareaView>()
        .text("id") { "field-\($0.name)" }
        .text("name") { $0.name }
        .text("label") { $0.label }
        .text("value") { $0.value }
        .text("rows") { String($0.lineCount) }
        .optionalText("hint") { $0.hint }
        .optionalText("error") { $0.error }
        .flag("code") { $0.isCode }
}
