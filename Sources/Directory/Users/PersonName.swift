import Core

/// Name of a user in the two parts that Apple's protocol has; either may be empty.
public struct PersonName: Hashable, Sendable {
    /// Most Unicode scalars of each part.
    public static let maximumLength = 100

    public let given: String
    public let family: String

    /// Empty name.
    public static let none = PersonName(stored: "", "")

    /// Creates a name from user input, cleaned; nil if a part is then too long.
    public init?(given: String, family: String) {
        self.init(stored: Self.cleaned(given), Self.cleaned(family))
        guard [self.given, self.family].allSatisfy({ $0.unicodeScalars.count <= Self.maximumLength }) else {
            return nil
        }
    }

    /// Creates a name from what a provider sends once, cleaned; a part that is too long is cut.
    public init(sentOnce given: String, _ family: String) { self.init(stored: Self.cut(given), Self.cut(family)) }

    /// Creates a name from stored parts, which were checked before they were stored.
    public init(stored given: String, _ family: String) {
        self.given = given
        self.family = family
    }

    public var isEmpty: Bool { given.isEmpty && family.isEmpty }

    /// Both parts, as a name of that script is written: the family name first, without a blank, in Han, kana and
    /// Hangul; else the given name first (CLDR, person names).
    public var full: String {
        if given.isEmpty || family.isEmpty { return given + family }
        return (given + family).unicodeScalars.allSatisfy(\.isEastAsian) ? family + given : given + " " + family
    }

    private static func cut(_ text: String) -> String {
        cleaned(String(String.UnicodeScalarView(cleaned(text).unicodeScalars.prefix(maximumLength))))
    }

    /// The text as one line: without bidirectional controls (Unicode Standard Annex 9, section 2), with a blank for
    /// every other control and line break, and without white space around it.
    ///
    /// With these, a name could rearrange the page on which it is displayed; address books contain them unseen.
    private static func cleaned(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !scalar.properties.isBidiControl {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return String(scalars).trimmedWhiteSpace
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is written in a Chinese, Japanese or Korean name: Han, kana, bopomofo, Hangul, and their marks
    /// (Unicode Standard, Blocks.txt).
    fileprivate var isEastAsian: Bool {
        switch value {
        case 0x1100...0x11FF, 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x31BF, 0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF, 0xFE00...0xFE0F,
            0xFF66...0xFFDC, 0x1AFF0...0x1B16F, 0x20000...0x3FFFF, 0xE0100...0xE01EF:
            true
        default: false
        }
    }
}
