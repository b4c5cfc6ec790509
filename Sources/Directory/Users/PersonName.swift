import Core

/// Name of a user in the two parts that Apple's protocol has; either may be empty.
public struct PersonName: Hashable, Sendable {
    /// Most Unicode scalars of each part.
    public static let maximumLength = 100
    /// Longest text read of each part, in octets.
    private static let longestText = 4096

    public let given: String
    public let family: String

    /// Empty name.
    public static let none = PersonName(stored: "", "")

    /// Creates a name from user input, as one line; nil if a part is then too long.
    public init?(given: String, family: String) {
        guard max(given.utf8.count, family.utf8.count) <= Self.longestText else { return nil }
        self.init(stored: given.typedLine, family.typedLine)
        guard [self.given, self.family].allSatisfy({ $0.unicodeScalars.count <= Self.maximumLength }) else {
            return nil
        }
    }

    /// Creates a name from what a provider or an app sends once, as one line; a part that is too long is cut.
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
        String(String.UnicodeScalarView(text.typedLine.unicodeScalars.prefix(maximumLength))).typedLine
    }

    /// The text that a provider or an app tells; empty for a word that programs send where a value is absent.
    public static func told(_ text: String) -> String { absences.contains(text) ? "" : text }

    /// Absent values made text, as programming languages do; there are people called Null.
    private static let absences: Set<String> = [
        "undefined", "null", "(null)", "<null>", "nil", "None", "NaN", "[object Object]",
    ]
}
