public import Bytes
public import Templates

/// Something that cannot be undone: says what breaks, asks for the typed name and a reason.
public struct DangerView: Sendable {
    public let action: String
    public let summary: Words
    public let consequences: [Words]
    /// What has to be typed, as it stands.
    public let expected: String
    public let confirmation: FieldView
    public let reason: FieldView
    public let button: Words
    public let version: String

    public init(
        action: String,
        summary: any Wording,
        consequences: [any Wording],
        expected: String,
        confirmation: FieldView,
        reason: FieldView,
        button: any Wording,
        version: String
    ) {
        self.action = action
        self.summary = summary.asWords
        self.consequences = consequences.map(\.asWords)
        self.expected = expected
        self.confirmation = confirmation
        self.reason = reason
        self.button = button.asWords
        self.version = version
    }

    public static let fields = Fields<DangerView>()
        .text("action") { $0.action }
        .words("summary") { $0.summary }
        .list("consequences", Fields<Words>().words("text") { $0 }) { $0.consequences }
        .text("expected") { $0.expected }
        .group("confirmation", FieldView.fields) { $0.confirmation }
        .group("reason", FieldView.fields) { $0.reason }
        .words("button") { $0.button }
        .text("version") { $0.version }
}
