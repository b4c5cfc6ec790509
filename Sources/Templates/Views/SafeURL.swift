/// A URL that was vetted by the code that made it, so a page may use any scheme but those that run script.
///
/// Return URLs of apps have schemes of their own (`myapp:`, `intent:`), which a text value in `href` may not
/// have: text could come from anywhere.
public struct SafeURL: Hashable, Sendable {
    /// The URL as written into the page, attribute-escaped there.
    public let text: String

    /// Nil for `javascript:`, `vbscript:` and `data:`, and for text no URL holds.
    ///
    /// Refused are blanks and control characters (browsers drop some of them, so that `java\nscript:` would
    /// be `javascript:`), `"`, `<`, `>`, `\`, a backtick, and a leading `'`
    /// (a refresh would take it for a quote).
    public init?(vetted text: String) {
        guard !text.utf8.contains(where: Self.isRefused), text.utf8.first != UInt8(ascii: "'") else {
            return nil
        }
        var position = URLPosition.start
        for byte in text.utf8 {
            // A URL has no character references: `&` is itself here.
            if byte == UInt8(ascii: "&") { break }
            position.advance(byte)
        }
        guard position != .script else { return nil }
        self.text = text
    }

    /// A URL that stands in the code; stops the process if `init(vetted:)` would refuse it.
    public init(literal: StaticString) {
        guard let url = SafeURL(vetted: literal.description) else {
            preconditionFailure("no safe URL: \(literal)")
        }
        self = url
    }

    private static func isRefused(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || "\"<>\\`".utf8.contains(byte)
    }
}
