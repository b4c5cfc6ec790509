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

/// Position inside a URL, as far as its literal text determines it.
enum URLPosition: Equatable, Sendable {
    /// At the start, or after blanks that browsers ignore: a value here chooses the scheme.
    case start
    /// In text that becomes a scheme if a colon follows.
    case scheme([UInt8])
    /// After a value where a scheme could be: a literal colon now would complete an unchecked scheme.
    case afterValue
    /// Past the point where a scheme can begin.
    case inside
    /// Inside a URL that runs as script or is a document itself.
    case script
    /// Unknown, because it depends on a branch or on a character reference.
    case unclear

    /// Schemes that make the rest of the URL a script or a document of the page's own origin.
    static let scriptSchemes: Set<String> = ["javascript", "vbscript", "data"]

    /// Length limit of a scheme, longer than every relevant one.
    private static let longestScheme = 32

    mutating func advance(_ byte: UInt8) {
        switch self {
        case .inside, .script, .unclear: return
        case .start: if byte > 0x20 { take(byte, after: []) }
        case .scheme(let name): take(byte, after: name)
        case .afterValue:
            if Self.endsScheme(byte) { self = .inside }
            if byte == UInt8(ascii: ":") { self = .unclear }
        }
    }

    /// Records that a value is written at this position.
    mutating func passValue() {
        switch self {
        case .start, .scheme: self = .afterValue
        case .afterValue, .inside, .script, .unclear: break
        }
    }

    /// Returns the position that covers two branches.
    func joined(with other: Self) -> Self {
        if self == other { return self }
        return isUndecided && other.isUndecided ? .afterValue : .unclear
    }

    /// Whether values are escaped as components and only a colon would be dangerous.
    private var isUndecided: Bool {
        switch self {
        case .scheme, .afterValue, .inside: true
        case .start, .script, .unclear: false
        }
    }

    private mutating func take(_ byte: UInt8, after name: [UInt8]) {
        switch byte {
        case UInt8(ascii: ":"):
            self = Self.scriptSchemes.contains(String(decoding: name, as: UTF8.self)) ? .script : .inside
        case UInt8(ascii: "&"): self = .unclear
        case 0x09, 0x0A, 0x0D:
            // Browsers drop these anywhere in a URL, so `java\nscript:` is `javascript:`.
            self = .scheme(name)
        default:
            let isDecided = Self.endsScheme(byte) || name.count >= Self.longestScheme
            self = isDecided ? .inside : .scheme(name + [byte.lowercased])
        }
    }

    private static func endsScheme(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}
