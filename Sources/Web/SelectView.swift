public import Templates

/// A choice from a long list.
public struct SelectView: Sendable {
    public struct Option: Sendable {
        public let value: String
        public let label: String
        public let isSelected: Bool

        public init(_ value: String, _ label: String, isSelected: Bool) {
            self.value = value
            self.label = label
            self.isSelected = isSelected
        }

        static let fields = Fields<Option>()
            .text("value") { $0.value }
            .text("label") { $0.label }
            .flag("selected") { $0.isSelected }
    }

    public let name: String
    public let label: String
    public let hint: String?
    public let error: String?
    public let options: [Option]

    public init(_ name: String, label: String, hint: String? = nil, error: String? = nil, options: [Option]) {
        self.name = name
        self.label = label
        self.hint = hint
        self.error = error
        self.options = options
    }

    public static let fields = Fields<SelectView>()
        .text("id") { "field-\($0.name)" }
        .text("name") { $0.name }
        .text("label") { $0.label }
        .optionalText("hint") { $0.hint }
        .optionalText("error") { $0.error }
        .list("options", Option.fields) { $0.options }
}
