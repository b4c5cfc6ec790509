/// State of the tokenizer: the states of HTML Standard 13.2.5 that escaping has to distinguish.
enum HTMLPlace: Equatable, Sendable {
    case text
    /// After `<`.
    case tagOpen
    /// After `</`.
    case closingTagOpen
    case tagName
    /// Inside a tag, before an attribute.
    case tag
    case attributeName
    case afterAttributeName
    /// After `=`.
    case beforeValue
    case quotedValue(UInt8)
    case unquotedValue
    /// After branches of which one ended inside or behind a name: only a byte that ends a name may follow.
    case boundary
    /// After `<!`.
    case declaration
    case bogusComment
    case comment
    /// Inside an element without markup, such as `<script>` and `<title>`.
    case rawText
}

/// The tag that is being read.
struct HTMLElement: Equatable, Sendable {
    /// In lower case.
    var name: [UInt8] = []
    var isClosing = false
    /// Whether `http-equiv="refresh"` was read in this `<meta>`.
    var isRefresh = false
    /// Whether `content` of this `<meta>` holds a value that was bound before `http-equiv` was known.
    var hasContentValue = false

    var text: String { String(decoding: name, as: UTF8.self) }

    /// Whether the content is text up to the closing tag (HTML Standard 13.2.6.2).
    var holdsRawText: Bool { !isClosing && Self.rawText.contains(text) }

    var isHeading: Bool { ["h1", "h2", "h3", "h4"].contains(text) }

    /// Whether character references work in the raw text, so that an escaped value is safe (13.1.2).
    var holdsEscapableText: Bool { text == "title" || text == "textarea" }

    private static let rawText: Set = [
        "script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp", "plaintext",
    ]
}

/// Meaning of an attribute's value to a browser.
enum AttributeKind: Equatable, Sendable {
    case plain
    /// A URL to navigate to or to load from.
    case url
    /// A URL whose response runs in or beside the page: only a `SafeURL` may begin it.
    case loadingURL
    /// `content` of a `<meta http-equiv="refresh">`: seconds and a URL.
    case refresh
    /// `content` of another `<meta>`, which is harmless unless `http-equiv` follows.
    case metaContent
    /// `http-equiv`, which determines the meaning of `content`.
    case httpEquiv
    /// No value is allowed; the payload names the attribute for diagnostics.
    case refused(String)

    static func of(_ attribute: [UInt8], in element: HTMLElement) -> AttributeKind {
        let name = String(decoding: attribute, as: UTF8.self)
        if name.hasPrefix("on") { return .refused("the script in `\(name)`") }
        if name == "style" { return .refused("the style sheet in `style`") }
        if refusedNames.contains(name) { return .refused("`\(name)`") }
        if animations.contains(element.text) { return .refused("`<\(element.text)>`, which can set other attributes") }
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
        "action", "archive", "background", "cite", "classid", "codebase", "data", "dynsrc", "formaction", "href",
        "icon", "itemid", "itemtype", "longdesc", "lowsrc", "manifest", "poster", "profile", "src",
    ]
    private static let dataURLs: Set = ["action", "cite", "href", "poster", "src", "uri", "url"]

    /// Whether the attribute is a URL, by its name without a namespace (`xlink:href`) or the last part of `data-…`.
    private static func isURL(_ name: String) -> Bool {
        if name.hasPrefix("data-") { return dataURLs.contains(String(name.split(separator: "-").last ?? "")) }
        let local = name.split(separator: ":").last.map(String.init) ?? name
        return urls.contains(local) || name.hasPrefix("xmlns")
    }
}
