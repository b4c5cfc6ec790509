import Bytes

/// A name that a member chose, as a mail may repeat it to somebody who does not know them.
///
/// Such a name may be an advertisement or a trap: it is one line of a few words, and nothing in it that mail readers make a
/// link of.
public struct QuotedName: Sendable, CustomStringConvertible {
    /// In characters.
    static let maximumLength = 60

    public let description: String

    /// - Parameter fallback: what stands there when nothing is left of `name`.
    public init(_ name: String, else fallback: String = "Pippin") {
        let line = name.unicodeScalars.prefix(400).filter { !$0.isIgnored }.map(Self.printable)
        let words = line.split(separator: " ").compactMap { Self.word(Array($0)) }
        let text = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        let short = text.count > Self.maximumLength ? text.prefix(Self.maximumLength - 1) + "…" : text[...]
        description = short.isEmpty ? fallback : String(short)
    }

    /// Control and formatting characters, line and paragraph separators turn the line or hide parts of it.
    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate,
            .unassigned:
            " "
        default: scalar
        }
    }

    /// The word without what makes it an address: nothing of a URL or a mail address, the first label of a host name.
    ///
    /// By scalars: to a `Character` a mark behind a full stop makes it another one, and not to who makes links.
    private static func word(_ word: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        let plain = word.map(Self.plain)
        guard !plain.contains("@"), !plain.contains("/"), !plain.contains("\\") else { return nil }
        let isOfWeb = plain.indices.contains { plain[$0...].prefix(4).elementsEqual("www.".unicodeScalars) }
        guard !isOfWeb else { return nil }
        let labels = plain.split(separator: ".", omittingEmptySubsequences: false)
        // Initials and a full stop at the end are none; `a.b.example` is one like `a.example`.
        guard labels.dropFirst().contains(where: { $0.count { !$0.isMark } > 1 }) else { return word }
        return labels[0].isEmpty ? nil : Array(word.prefix(labels[0].count))
    }

    /// The character that browsers read in its place in an address (UTS #46), as far as it parts or marks one.
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
    /// Whether it is neither seen nor read, as joiners and variation selectors are: an address is the same without it.
    fileprivate var isIgnored: Bool { properties.isDefaultIgnorableCodePoint }

    /// Whether it stands on the letter before it.
    fileprivate var isMark: Bool { properties.generalCategory == .nonspacingMark }
}
