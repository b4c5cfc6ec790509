/// The tag being read.
struct HTMLElement: Equatable, Sendable {
    /// In lower case.
    var name: [UInt8] = []
    var isClosing = false
    /// `<meta http-equiv="refresh">`, once that attribute was read.
    var isRefresh = false
    /// A `<meta>` whose `content` holds a value although nobody knew yet what it means.
    var hasContentValue = false

    var text: String { String(decoding: name, as: UTF8.self) }

    /// Elements whose inside is text to the tokenizer, up to their closing tag (HTML Standard 13.2.6.2).
    var holdsRawText: Bool { !isClosing && Self.rawText.contains(text) }

    var isHeading: Bool { ["h1", "h2", "h3", "h4"].contains(text) }

    /// Raw text in which character references work, so that an escaped value is safe (13.1.2).
    var holdsEscapableText: Bool { text == "title" || text == "textarea" }

    private static let rawText: Set = [
        "script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp", "plaintext",
    ]
}
