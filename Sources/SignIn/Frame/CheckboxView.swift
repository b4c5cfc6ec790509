public import Core
public import Templates

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
