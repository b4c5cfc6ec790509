import Core
import Synchronization
import Templates

/// A page that says something, in English alone.
struct TextPage: View {
    static let template = "page"
    static let fields = Fields<Self> {
        $0.text("name") { $0.name }
        $0.text("next") { $0.next }
        $0.integer("count") { $0.count }
    }

    var name = "Ada"
    var next = "/"
    var count = 0
}

/// A page in three languages.
struct Worldly: View {
    static let template = "page"
    static let languages: [Language] = [.english, .russian, .chinese]
    static let fields = Fields<Self> {
        $0.integer("count") { $0.count }
        $0.words("said") { $0.said }
        $0.optionalWords("unsaid") { _ in nil }
    }

    var count = 0
    var language = Language.english
    var said: any LocalizedTextConvertible = ""
}

extension View where Self: SendableMetatype {
    /// What the page looks like with this template and these texts.
    func rendered(_ template: String, _ files: [String: String]) throws(Diagnostics) -> String {
        try TemplateSet(templates: ["page": template], texts: Translations(files: files)).bind(Self.self).text(of: self)
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

    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}
