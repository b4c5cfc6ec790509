/// Text from outside, made fit for a line of a terminal.
///
/// A terminal obeys what it is sent: escape sequences move the cursor, rename the window, or answer in the user's name
/// (ECMA-48); marks of direction show a name as another one (UAX #9).
public enum PrintableText {
    /// The text with U+FFFD in place of every control character, line breaks and tabs included, every separator of lines
    /// or paragraphs, and every invisible mark but those that join letters.
    public static func line(_ text: String) -> String {
        replacing(text) { _ in false }
    }

    /// The same, with line feeds left in place.
    public static func page(_ text: String) -> String {
        replacing(text) { $0 == "\n" }
    }

    private static func replacing(_ text: String, unless isKept: (Unicode.Scalar) -> Bool) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            result.append(isKept(scalar) || isHarmless(scalar) ? scalar : "\u{FFFD}")
        }
        return String(result)
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // Zero-width joiner and non-joiner belong to the spelling of names; a soft hyphen does no harm.
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}" || scalar == "\u{AD}"
        default: true
        }
    }
}
