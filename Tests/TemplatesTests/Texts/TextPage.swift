import Bytes
import Synchronization
import Templates

/// A page that says something, in English alone.
struct TextPage: View {
    static let template = "page"
    static let fields = Fields<Self>()
        .text("name") { $0.name }
        .text("next") { $0.next }
        .integer("count") { $0.count }

    var name = "Ada"
    var next = "/"
    var count = 0
}

/// A page in three languages.
struct Worldly: View {
    static let template = "page"
    static let languages: [Language] = [.english, .russian, .chinese]
    static let fields = Fields<Self>()
        .integer("count") { $0.count }
        .words("said") { $0.said }
        .optionalWords("unsaid") { _ in nil }

    var count = 0
    var language = Language.english
    var said: any Wording = ""
}

extension View where Self: SendableMetatype {
    /// What the page looks like with this template and these texts.
    func rendered(_ template: String, _ files: [String: String]) throws(Diagnostics) -> String {
        try TemplateSet(templates: ["page": template], texts: Texts(files: files)).bind(Self.self).text(
            of: self
        )
    }
}

extension Bound {
    func text(of page: Page) -> String {
        var out: [UInt8] = []
        render(page, into: &out)
        return String(decoding: out, as: UTF8.self)
    }
}

/// Time that passes only when told to.
final class ReloadingClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func pass(_ duration: Duration) {
        time.withLock { $0 += duration }
    }
}
