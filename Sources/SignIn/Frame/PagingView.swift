public import Core
public import Templates

/// Footer of a list: summary, and links to the previous and next page.
public struct PagingView: Sendable {
    public let summary: LocalizedText
    public let previousURL: String?
    public let nextURL: String?

    public init(summary: any LocalizedTextConvertible, previousURL: String? = nil, nextURL: String? = nil) {
        self.summary = summary.localizedText
        self.previousURL = previousURL
        self.nextURL = nextURL
    }

    public static let fields = Fields<PagingView> {
        $0.words("summary") { $0.summary }
        $0.optionalText("previousURL") { $0.previousURL }
        $0.optionalText("nextURL") { $0.nextURL }
    }
}

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
