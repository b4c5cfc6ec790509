import Core
import Templates

/// A link with its words.
struct LinkView: Sendable {
    let words: LocalizedText
    let url: String
    /// Whether it is what most members come for.
    let isPrimary: Bool

    init(_ words: any LocalizedTextConvertible, _ url: String, isPrimary: Bool = false) {
        self.words = words.localizedText
        self.url = url
        self.isPrimary = isPrimary
    }

    static let fields = Fields<LinkView> {
        $0.words("words") { $0.words }
        $0.text("url") { $0.url }
        $0.flag("primary") { $0.isPrimary }
    }
}
