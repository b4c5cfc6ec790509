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
