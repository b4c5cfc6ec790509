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

/// State of the tokenizer inside an attribute value, as far as escaping depends on it.
enum AttributeValue: Equatable, Sendable {
    case plain
    case url(URLPosition)
    /// Inside the content of a refresh before the URL; the payload is the number of bytes of `url=` just read.
    case delay(Int)
    /// Inside the content of a refresh, after `url=`.
    case refreshURL(URLPosition)
    /// Inside `http-equiv`; the payload is the value so far.
    case httpEquiv([UInt8])

    init(_ kind: AttributeKind) {
        switch kind {
        case .plain, .refused, .metaContent: self = .plain
        case .url, .loadingURL: self = .url(.start)
        case .refresh: self = .delay(0)
        case .httpEquiv: self = .httpEquiv([])
        }
    }

    mutating func advance(_ byte: UInt8) {
        switch self {
        case .plain: return
        case .url(var position):
            position.advance(byte)
            self = .url(position)
        case .delay(let matched): self = Self.delay(after: byte, matched)
        case .refreshURL(var position):
            // The URL may be quoted (HTML Standard 4.2.5.3, shared declarative refresh steps).
            let isQuote = byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
            if position != .start || !isQuote { position.advance(byte) }
            self = .refreshURL(position)
        case .httpEquiv(let text):
            // Compared only with `refresh`, so further bytes do not matter.
            self = .httpEquiv(text.count < 16 ? text + [byte.lowercased] : text)
        }
    }

    mutating func passValue() {
        switch self {
        case .plain, .httpEquiv: return
        case .delay: self = .delay(0)
        case .url(var position):
            position.passValue()
            self = .url(position)
        case .refreshURL(var position):
            position.passValue()
            self = .refreshURL(position)
        }
    }

    /// Returns the state that covers two branches, or nil if there is none.
    func joined(with other: Self) -> Self? {
        switch (self, other) {
        case (.url(let one), .url(let two)): .url(one.joined(with: two))
        case (.refreshURL(let one), .refreshURL(let two)): .refreshURL(one.joined(with: two))
        default: self == other ? self : nil
        }
    }

    private static func delay(after byte: UInt8, _ matched: Int) -> Self {
        let word = Array("url=".utf8)
        if byte.lowercased == word[matched] {
            return matched == word.count - 1 ? .refreshURL(.start) : .delay(matched + 1)
        }
        if matched == word.count - 1, byte.isSpace { return .delay(matched) }
        return .delay(byte.lowercased == word[0] ? 1 : 0)
    }
}
