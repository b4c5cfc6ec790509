internal import CUTF8Proc
private import Glibc

// Text as a person types or pastes it, or as an app forwards it: read by the one of these that fits, before it is
// parsed, compared or stored. Passwords are read by `NewPassword`, and what a protocol compares octet by octet by nothing.

extension String {
    /// The text as one line to be shown: composed (NFC, Unicode Standard Annex 15), without marks that nobody sees, a
    /// blank for each control character and line break, and no white space around it.
    ///
    /// The marks include those that change the direction of text (Annex 9), with which a name could rearrange the page on
    /// which it is shown. Joiners, variation selectors and tags stay, being part of the spelling of words and emoji.
    public var typedLine: String {
        if isPlain { return self }
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars where !scalar.isUnseenFormat {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        let line = String(scalars)
        return (line.isStreamSafe ? line.normalizedC : line).trimmedWhiteSpace
    }

    /// The text of an address, an identifier, a number or other code: in the compatibility form (NFKC), which has one width
    /// and one shape for each letter, without any mark that nobody sees, and no white space around it.
    ///
    /// Another letter stays another letter: a Cyrillic а is not a Latin a.
    public var typedCode: String {
        if isPlain { return self }
        let seen = removing(\.properties.isDefaultIgnorableCodePoint)
        // Marks that were apart may stand together now, and sorting long runs takes quadratic time.
        guard seen.isStreamSafe else { return trimmedWhiteSpace }
        return seen.mapped(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_COMPAT.rawValue)
            .trimmedWhiteSpace
    }

    /// The text of a one-time or recovery code: as `typedCode`, in lower case, with ASCII digits for those of any script,
    /// and without the blanks and dashes that apps and people put between groups.
    public var typedOneTimeCode: String {
        var scalars = UnicodeScalarView()
        for scalar in typedCode.lowercased().unicodeScalars {
            let properties = scalar.properties
            if properties.isWhitespace || properties.generalCategory == .dashPunctuation || scalar == "\u{2212}" {
                continue
            }
            if properties.numericType == .decimal, let value = properties.numericValue {
                scalars.append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(value)))
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// The text for search: two texts that look alike to a person who does not mind capitals, accents, width and blanks
    /// between Chinese, Japanese and Korean characters are the same afterwards.
    ///
    /// NFKC_Casefold (Unicode Standard, section 3.13) without combining marks. What is stored so is computed here alone, so
    /// that it agrees with what is asked.
    public var folded: String {
        let text = utf8.contains { $0 >= 0x80 } ? mapped(Self.folding).unbarred : lowercasedASCII
        var folded = UnicodeScalarView()
        for word in text.unicodeScalars.split(whereSeparator: { $0.properties.isWhitespace || $0.value < 0x20 }) {
            if let last = folded.last, let first = word.first, !(last.isEastAsian && first.isEastAsian) {
                folded.append(" ")
            }
            folded.append(contentsOf: word)
        }
        return String(folded)
    }

    /// The folded text from each of its first eight words on, by whose beginnings it is found; a word is a run of letters and
    /// digits.
    public var searchTerms: [String] {
        let text = folded.cut(toOctets: Self.longestTerm)
        var terms: [String] = []
        var isInWord = false
        for index in text.unicodeScalars.indices {
            let properties = text.unicodeScalars[index].properties
            let isOfWord = properties.isAlphabetic || properties.numericType != nil
            if terms.isEmpty || isOfWord && !isInWord { terms.append(String(text[index...])) }
            isInWord = isOfWord
            if terms.count == 8 { break }
        }
        return terms
    }

    /// In octets, of a term and of what is searched for.
    public static let longestTerm = 255

    private static let folding =
        UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_CASEFOLD.rawValue
        | UTF8PROC_IGNORE.rawValue | UTF8PROC_STRIPMARK.rawValue | UTF8PROC_LUMP.rawValue

    /// Whether each reading leaves the text as it is: printable ASCII without a blank at an end.
    private var isPlain: Bool { utf8.first != 0x20 && utf8.last != 0x20 && utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

    private func mapped(_ options: UInt32) -> String {
        var result: UnsafeMutablePointer<UInt8>?
        let count = unsafe Array(utf8).withUnsafeBufferPointer { octets in
            unsafe utf8proc_map(octets.baseAddress, octets.count, &result, utf8proc_option_t(options))
        }
        // Fails only for text that is not UTF-8, which a String never is, or without memory.
        guard count >= 0, let octets = unsafe result else { return self }
        defer { unsafe free(octets) }
        return unsafe String(decoding: UnsafeBufferPointer(start: octets, count: count), as: UTF8.self)
    }

    /// The text with the letters for those that differ from them by a stroke or a missing dot, which Unicode does not take
    /// apart as it does accents.
    private var unbarred: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "đ", "ð": text += "d"
            case "ø": text += "o"
            case "ł": text += "l"
            case "ħ": text += "h"
            case "ı": text += "i"
            case "ŧ": text += "t"
            case "æ": text += "ae"
            case "œ": text += "oe"
            case "þ": text += "th"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a format character that is not shown and not part of any spelling.
    fileprivate var isUnseenFormat: Bool {
        switch value {
        case 0..<0xAD, 0x200C, 0x200D, 0xE0020...0xE007F: false
        default: properties.generalCategory == .format && properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether the scalar is written in a Chinese, Japanese or Korean name: Han, kana, bopomofo, Hangul, and their marks
    /// (Unicode Standard, Blocks.txt).
    public var isEastAsian: Bool {
        switch value {
        case 0x1100...0x11FF, 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x31BF, 0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF, 0xFE00...0xFE0F,
            0xFF66...0xFFDC, 0x1AFF0...0x1B16F, 0x20000...0x3FFFF, 0xE0100...0xE01EF:
            true
        default: false
        }
    }
}
