/// A name chosen by a member, sanitized for an email to a recipient who may not know the member.
///
/// Such a name may carry an advertisement or a phishing link. The result is one line of at most `maximumLength`
/// characters without anything that mail clients turn into a link.
public struct QuotedName: Sendable, CustomStringConvertible {
    /// Maximum length, in characters.
    static let maximumLength = 60

    public let description: String

    /// - Parameter fallback: the result if nothing of `name` is left.
    public init(_ name: String, else fallback: String = "Pippin") {
        let line = name.unicodeScalars.prefix(400).filter { !$0.isIgnored }.map(Self.printable)
        let words = line.split(separator: " ").compactMap { Self.word(Array($0)) }
        let text = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        let short = text.count > Self.maximumLength ? text.prefix(Self.maximumLength - 1) + "…" : text[...]
        description = short.isEmpty ? fallback : String(short)
    }

    /// Replaces by a space every character that breaks the line or hides parts of it, such as control characters.
    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate,
            .unassigned:
            " "
        default: scalar
        }
    }

    /// Removes from a word what makes it a link: URLs and email addresses entirely, host names after their first label.
    ///
    /// Works on scalars because a combining mark after a full stop makes it another `Character`, but mail clients that
    /// detect links still see the full stop.
    private static func word(_ word: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        let plain = word.map(Self.plain)
        guard !plain.contains("@"), !plain.contains("/"), !plain.contains("\\") else { return nil }
        let isOfWeb = plain.indices.contains { plain[$0...].prefix(4).elementsEqual("www.".unicodeScalars) }
        guard !isOfWeb else { return nil }
        let labels = plain.split(separator: ".", omittingEmptySubsequences: false)
        // Initials and a full stop at the end are not host names; `a.b.example` is one, as is `a.example`.
        guard labels.dropFirst().contains(where: { $0.count { !$0.isMark } > 1 }) else { return word }
        return labels[0].isEmpty ? nil : Array(word.prefix(labels[0].count))
    }

    /// Maps a character to the delimiter or `w` that browsers read in its place in an address (UTS #46).
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "。", "．", "｡": "."
        case "／", "⁄", "∕": "/"
        case "＼": "\\"
        case "＠", "﹫": "@"
        case "W", "Ｗ", "ｗ": "w"
        default: scalar
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is invisible, such as joiners and variation selectors: an address without it is the same.
    fileprivate var isIgnored: Bool { properties.isDefaultIgnorableCodePoint }

    /// Whether the scalar is a nonspacing mark, which combines with the character before it.
    fileprivate var isMark: Bool { properties.generalCategory == .nonspacingMark }
}
