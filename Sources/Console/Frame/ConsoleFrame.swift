import Bytes
import Localization
import Templates
import Web

/// Title, assets and navigation that every page of a team has.
struct ConsoleFrame: Sendable {
    let title: LocalizedText
    let assets: AssetLinks
    let chrome: Chrome
}

/// A page of a team; `TeamContext.frame` creates its frame.
protocol ConsolePage: View, SendableMetatype { var frame: ConsoleFrame { get } }

extension ConsolePage {
    /// The fields of `layouts/console`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self> {
            $0.text("lang") { _ in "en" }
            $0.words("title") { $0.frame.title }
            $0.group("assets", AssetLinks.fields) { $0.frame.assets }
            $0.group("chrome", Chrome.fields) { $0.frame.chrome }
        }
    }
}

/// Title, assets and navigation that every page outside any team has.
struct PlainFrame: Sendable {
    let title: LocalizedText
    let assets: AssetLinks
    let chrome: PlainChrome
}

/// A page outside any team; `AccountContext.frame` creates its frame.
protocol PlainPage: View, SendableMetatype { var frame: PlainFrame { get } }

extension PlainPage {
    /// The fields of `layouts/console-plain`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self> {
            $0.text("lang") { _ in "en" }
            $0.words("title") { $0.frame.title }
            $0.group("assets", AssetLinks.fields) { $0.frame.assets }
            $0.group("chrome", PlainChrome.fields) { $0.frame.chrome }
        }
    }
}
