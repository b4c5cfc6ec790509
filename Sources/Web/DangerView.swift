public import Templates

/// Something that cannot be undone: says what breaks, asks for the typed name and a reason.
public struct DangerView: Sendable {
    public let action: String
    public let summary: String
    public let consequences: [String]
    /// What has to be typed, as it stands.
    public let expected: String
    public let confirmation: FieldView
    public let reason: FieldView
    public let button: String
    public let version: String

    public init(
        action: String,
        summary: String,
        consequences: [String],
        expected: String,
        confirmation: FieldView,
        reason: FieldView,
        button: String,
        version: String
    ) {
        self.action = action
        self.summary = summary
        self.consequences = consequences
        self.expected = expected
        self.confirmation = confirmation
        self.reason = reason
        self.button = button
        self.version = version
    }

    public static let fields = Fields<DangerView>()
        .text("action") { $0.action }
        .text("summary") { $0.summary }
        .list("consequences", Fields<String>().text("text") { $0 }) { $0.consequences }
        .text("expected") { $0.expected }
        .group("confirmation", FieldView.fields) { $0.confirmation }
        .group("reason", FieldView.fields) { $0.reason }
        .text("button") { $0.button }
        .text("version") { $0.version }
}
