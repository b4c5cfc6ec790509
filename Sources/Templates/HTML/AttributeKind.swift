/// What an attribute's value is to a browser.
enum AttributeKind: Equatable, Sendable {
    case plain
    /// A URL to go to or to load from.
    case url
    /// A URL whose answer runs in or beside the page: only a vetted one may begin it.
    case loadingURL
    /// `content` of a `<meta http-equiv="refresh">`: seconds and a URL.
    case refresh
    /// `content` of another `<meta>`: harmless unless `http-equiv` follows.
    case metaContent
    /// `http-equiv`, which decides what `content` means.
    case httpEquiv
    /// No value may stand here; the payload says in what.
    case refused(String)

    static func of(_ attribute: [UInt8], in element: HTMLElement) -> AttributeKind {
        let name = String(decoding: attribute, as: UTF8.self)
        if name.hasPrefix("on") { return .refused("the script in `\(name)`") }
        if name == "style" { return .refused("the style sheet in `style`") }
        if refusedNames.contains(name) { return .refused("`\(name)`") }
        if animations.contains(element.text) {
            return .refused("`<\(element.text)>`, which can set other attributes")
        }
        if element.text == "meta" {
            if name == "http-equiv" { return .httpEquiv }
            if name == "content" { return element.isRefresh ? .refresh : .metaContent }
        }
        guard isURL(name) else { return .plain }
        return loaders.contains(element.text) ? .loadingURL : .url
    }

    private static let refusedNames: Set = ["srcset", "imagesrcset", "srcdoc", "ping"]
    private static let animations: Set = ["animate", "animatemotion", "animatetransform", "set"]
    private static let loaders: Set = ["script", "iframe", "frame", "object", "embed", "base"]
    private static let urls: Set = [
        "action", "archive", "background", "cite", "classid", "codebase", "data", "dynsrc", "formaction",
        "href",
        "icon", "itemid", "itemtype", "longdesc", "lowsrc", "manifest", "poster", "profile", "src",
    ]
    private static let dataURLs: Set = ["action", "cite", "href", "poster", "src", "uri", "url"]

    /// By name; a namespace (`xlink:href`) does not matter, and the last word of `data-…` decides.
    private static func isURL(_ name: String) -> Bool {
        if name.hasPrefix("data-") {
            return dataURLs.contains(String(name.split(separator: "-").last ?? ""))
        }
        let local = name.split(separator: ":").last.map(String.init) ?? name
        return urls.contains(local) || name.hasPrefix("xmlns")
    }
}
