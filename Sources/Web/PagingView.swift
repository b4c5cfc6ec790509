public import Templates

/// The foot of a list: how much there is, and the ways on.
public struct PagingView: Sendable {
    public let summary: String
    public let previousURL: String?
    public let nextURL: String?

    public init(summary: String, previousURL: String? = nil, nextURL: String? = nil) {
        self.summary = summary
        self.previousURL = previousURL
        self.nextURL = nextURL
    }

    public static let fields = Fields<PagingView>()
        .text("summary") { $0.summary }
        .optionalText("previousURL") { $0.previousURL }
        .optionalText("nextURL") { $0.nextURL }
}
