public import Core
public import Templates

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
