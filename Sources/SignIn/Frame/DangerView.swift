public import Core
public import Templates

/// Form of an irreversible action: lists the consequences, requires a typed confirmation and a reason.
public struct DangerView: Sendable {
    public let action: String
    public let summary: LocalizedText
    public let consequences: [LocalizedText]
    /// Text that the user has to type.
    public let expected: String
    public let confirmation: Input
    public let reason: Input
    public let button: LocalizedText
    public let version: String

    public init(
        action: String, summary: any LocalizedTextConvertible, consequences: [any LocalizedTextConvertible],
        expected: String, confirmation: Input, reason: Input, button: any LocalizedTextConvertible, version: String
    ) {
        self.action = action
        self.summary = summary.localizedText
        self.consequences = consequences.map(\.localizedText)
        self.expected = expected
        self.confirmation = confirmation
        self.reason = reason
        self.button = button.localizedText
        self.version = version
    }

    public static let fields = Fields<DangerView> {
        $0.text("action") { $0.action }
        $0.words("summary") { $0.summary }
        $0.list("consequences", Fields<LocalizedText> { $0.words("text") { $0 } }) { $0.consequences }
        $0.text("expected") { $0.expected }
        $0.group("confirmation", Input.fields) { $0.confirmation }
        $0.group("reason", Input.fields) { $0.reason }
        $0.words("button") { $0.button }
        $0.text("version") { $0.version }
    }
}
