public import Core
public import Templates

/// An active filter of a list, with the URL of the list without it.
public struct ChipView: Sendable {
    public let label: LocalizedText
    public let value: LocalizedText
    public let removeURL: String

    public init(_ label: any LocalizedTextConvertible, _ value: any LocalizedTextConvertible, removeURL: String) {
        self.label = label.localizedText
        self.value = value.localizedText
        self.removeURL = removeURL
    }

    public static let fields = Fields<ChipView> {
        $0.words("label") { $0.label }
        $0.words("value") { $0.value }
        $0.text("removeURL") { $0.removeURL }
    }
}
