public import Bytes
public import Templates

/// A choice from a long list.
public struct SelectView: Sendable {
    public struct Option: Sendable {
        public let value: String
        public let label: Words
        public let isSelected: Bool

        public init(_ value: String, _ label: any Wording, isSelected: Bool) {
            self.value = value
            self.label = label.asWords
            self.isSelected = isSelected
        }

        static let fields = Fields<Option>()
            .text("value") { $0.value }
            .words("label") { $0.label }
            .flag("selected") { $0.isSelected }
    }

    public let name: String
    public let label: Words
    public let hint: Words?
    public let error: Words?
    public let options: [Option]

    public init(
        _ name: String,
        label: any Wording,
        hint: (any Wording)? = nil,
        error: (any Wording)? = nil,
        options: [Option]
    ) {
        self.name = name
        self.label = label.asWords
        self.hint = hint?.asWords
        self.error = error?.asWords
        self.options = options
    }

    public static let fields = Fields<SelectView>()
        .text("id") { "field-\($0.name)" }
        .text("name") { $0.name }
        .words("label") { $0.label }
        .optionalWords("hint") { $0.hint }
        .optionalWords("error") { $0.error }
        .list("options", Option.fields) { $0.options }
}
