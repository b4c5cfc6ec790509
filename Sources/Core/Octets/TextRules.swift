extension String {
    /// Maximum run of combining marks, more than any writing system needs (Unicode UAX #15, Stream-Safe Text Format).
    private static let longestRunOfMarks = 30

    /// Whether no more than 30 combining marks follow each other anywhere in the text.
    ///
    /// Comparing, hashing, and normalizing sort the marks of a run in time quadratic in its length. Decoders therefore
    /// reject untrusted text that is not stream-safe. The longest run in actual use, in Tibetan and in Biblical Hebrew,
    /// is below ten.
    public var isStreamSafe: Bool {
        let octets = utf8.span
        for index in octets.indices where octets[index] >= 0x80 { return hasShortRuns }
        return true
    }

    private var hasShortRuns: Bool {
        var run = 0
        for scalar in unicodeScalars {
            guard scalar.isMark else {
                run = 0
                continue
            }
            run += 1
            if run > Self.longestRunOfMarks { return false }
        }
        return true
    }
}

extension Unicode.Scalar {
    /// Whether canonical ordering can move this scalar or a scalar that it decomposes to.
    fileprivate var isMark: Bool {
        switch value {
        case 0..<0x300: false
        // Their own combining class is zero, but each decomposes into two marks.
        case 0xF73, 0xF75, 0xF81: true
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}

/// Makes untrusted text safe to print on a terminal.
///
/// Terminals interpret escape sequences that move the cursor, rename the window, or send input in the user's name
/// (ECMA-48); directional formatting characters can make one name look like another (UAX #9).
public enum PrintableText {
    /// The text with U+FFFD in place of every control character (including line breaks and tabs), line or paragraph
    /// separator, and format character other than the zero-width joiner and non-joiner and the soft hyphen.
    public static func line(_ text: String) -> String { replacing(text) { _ in false } }

    /// The text with the same replacements as `line(_:)`, except that line feeds are kept.
    public static func page(_ text: String) -> String { replacing(text) { $0 == "\n" } }

    private static func replacing(_ text: String, unless isKept: (Unicode.Scalar) -> Bool) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isKept(scalar) || isHarmless(scalar) ? scalar : "\u{FFFD}") }
        return String(result)
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // Zero-width joiner and non-joiner are part of the spelling of names; a soft hyphen is harmless.
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}" || scalar == "\u{AD}"
        default: true
        }
    }
}

extension String {
    /// The text in Unicode normalization form C (Unicode Standard Annex 15).
    ///
    /// To compare spellings compare octets: `==` compares strings by canonical equivalence.
    public var normalizedC: String { String(decoding: _nfcCodeUnits, as: UTF8.self) }
}

/// The byte order mark of UTF-8, which Windows programs write first in a file and read as the sign of UTF-8
/// (Unicode Standard, section 23.8).
public enum ByteOrderMark {
    public static let octets: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The octets of a file without the mark.
    public static func removed(from octets: [UInt8]) -> [UInt8] {
        octets.starts(with: Self.octets) ? Array(octets.dropFirst(Self.octets.count)) : octets
    }
}
