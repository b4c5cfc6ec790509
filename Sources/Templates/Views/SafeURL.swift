/// A URL vetted by the code that creates it, which may have any scheme but those that run script.
///
/// Return URLs of apps have schemes of their own (`myapp:`, `intent:`), which a text value in `href` may not
/// have, because its origin is unknown.
public struct SafeURL: Hashable, Sendable {
    /// The URL, which the page escapes for an attribute.
    public let text: String

    /// Returns nil for `javascript:`, `vbscript:` and `data:`, and for text that is not a URL.
    ///
    /// Rejects blanks and control characters (browsers drop some of them, so that `java\nscript:` would
    /// be `javascript:`), `"`, `<`, `>`, `\`, a backtick, and a leading `'`
    /// (which a refresh would read as a quote).
    public init?(vetted text: String) {
        guard !text.utf8.contains(where: Self.isRefused), text.utf8.first != UInt8(ascii: "'") else { return nil }
        var position = URLPosition.start
        for byte in text.utf8 {
            // Unlike in an attribute, `&` does not begin a character reference here.
            if byte == UInt8(ascii: "&") { break }
            position.advance(byte)
        }
        guard position != .script else { return nil }
        self.text = text
    }

    /// Creates a URL from a literal; stops the process if `init(vetted:)` would return nil.
    public init(literal: StaticString) {
        guard let url = SafeURL(vetted: literal.description) else { preconditionFailure("no safe URL: \(literal)") }
        self = url
    }

    private static func isRefused(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || "\"<>\\`".utf8.contains(byte)
    }
}

/// Markup that is written unescaped.
///
/// The code that creates it guarantees that all external input in it is escaped and that it closes every tag
/// it opens. Allowed only in the text of a page, not in an attribute.
public struct SafeHTML: Hashable, Sendable {
    /// The markup.
    public let markup: String

    /// Creates markup that the caller guarantees to be safe.
    public init(trusted markup: String) { self.markup = markup }
}
