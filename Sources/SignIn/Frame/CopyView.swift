public import Core
public import Templates

/// A value with a copy button.
public struct CopyView: Sendable {
    public let label: LocalizedText
    public let value: String

    public init(_ label: any LocalizedTextConvertible, _ value: String) {
        self.label = label.localizedText
        self.value = value
    }

    public static let fields = Fields<CopyView> {
        $0.words("label") { $0.label }
        $0.text("value") { $0.value }
    }
}
