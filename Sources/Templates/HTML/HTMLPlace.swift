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
