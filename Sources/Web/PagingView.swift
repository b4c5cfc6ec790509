public import Bytes
public import Templates

/// The foot of a list: how much there is, and the ways on.
public struct PagingView: Sendable {
    public let summary: Words
    public let previousURL: String?
    public let nextURL: String?

    public init(summary: any Wording, previousURL: String? = nil, nextURL: String? = nil) {
        self.summary = summary.asWords
        self.previousURL = previousURL
        self.nextURL = nextURL
    }

    public static let fields = Fields<PagingView>()
        .words("summary") { $0.summary }
        .optionalText("previousURL") { $0.previousURL }
        .optionalText("nextURL") { $0.nextURL }
}
