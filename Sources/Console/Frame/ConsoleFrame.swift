import Bytes
import Templates
import Web

/// What every page inside a team carries.
struct ConsoleFrame: Sendable {
    let title: Words
    let assets: AssetLinks
    let chrome: Chrome
}

/// A page inside a team; made from its scope's `frame`.
protocol ConsolePage: View, SendableMetatype {
    var frame: ConsoleFrame { get }
}

extension ConsolePage {
    /// The fields of `layouts/console`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self>()
            .text("lang") { _ in "en" }
            .words("title") { $0.frame.title }
            .group("assets", AssetLinks.fields) { $0.frame.assets }
            .group("chrome", Chrome.fields) { $0.frame.chrome }
    }
}

/// What every page outside a team carries.
struct PlainFrame: Sendable {
    let title: Words
    let assets: AssetLinks
    let chrome: PlainChrome
}

/// A page outside of any team; made from its visit's `frame`.
protocol PlainPage: View, SendableMetatype {
    var frame: PlainFrame { get }
}

extension PlainPage {
    /// The fields of `layouts/console-plain`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self>()
            .text("lang") { _ in "en" }
            .words("title") { $0.frame.title }
            .group("assets", AssetLinks.fields) { $0.frame.assets }
            .group("chrome", PlainChrome.fields) { $0.frame.chrome }
    }
}
