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
