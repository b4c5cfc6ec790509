public import Bytes
public import Templates

/// Yes or no; a browser sends `yes` or nothing.
public struct CheckboxView: Sendable {
    public let name: String
    public let label: Words
    public let hint: Words?
    public let isChecked: Bool

    public init(_ name: String, label: any Wording, hint: (any Wording)? = nil, isChecked: Bool) {
        self.name = name
        self.label = label.asWords
        self.hint = hint?.asWords
        self.isChecked = isChecked
    }

    public static let fields = Fields<CheckboxView>()
        .text("id") { "field-\($0.name)" }
        .text("name") { $0.name }
        .words("label") { $0.label }
        .flag("checked") { $0.isChecked }
        .optionalWords("hint") { $0.hint }
}
