public import Templates

/// Yes or no; a browser sends `yes` or nothing.
public struct CheckboxView: Sendable {
    public let name: String
    public let label: String
    public let hint: String?
    public let isChecked: Bool

    public init(_ name: String, label: String, hint: String? = nil, isChecked: Bool) {
        self.name = name
        self.label = label
        self.hint = hint
        self.isChecked = isChecked
    }

    public static let fields = Fields<CheckboxView>()
        .text("id") { "field-\($0.name)" }
        .text("name") { $0.name }
        .text("label") { $0.label }
        .flag("checked") { $0.isChecked }
        .optionalText("hint") { $0.hint }
}
