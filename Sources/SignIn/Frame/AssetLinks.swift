public import Templates

/// URLs of the public files as currently served.
public struct AssetLinks: Sendable {
    public let css: String
    public let js: SafeURL
    public let exit: SafeURL
    public let factors: SafeURL
    public let logo: String
    public let icons: String
    /// The public URL, to which Public/pippin.js leads pages that are open under another name.
    var home = ""

    public init(css: String, js: SafeURL, exit: SafeURL, factors: SafeURL, logo: String, icons: String) {
        self.css = css
        self.js = js
        self.exit = exit
        self.factors = factors
        self.logo = logo
        self.icons = icons
    }

    public static let fields = Fields<AssetLinks> {
        $0.text("css") { $0.css }
        $0.url("js") { $0.js }
        $0.url("exit") { $0.exit }
        $0.url("factors") { $0.factors }
        $0.text("logo") { $0.logo }
        $0.text("icons") { $0.icons }
        $0.text("home") { $0.home }
    }
}
