/// Name of a user in the two parts that Apple's protocol has; either may be empty.
public struct PersonName: Hashable, Sendable {
    /// Most Unicode scalars of each part.
    public static let maximumLength = 100

    public let given: String
    public let family: String

    /// Empty name.
    public static let none = PersonName(stored: "", "")

    /// Creates a name from user input, without white space around its parts.
    ///
    /// Nil if a part is too long or contains characters that do not belong in a line of text.
    public init?(given: String, family: String) {
        guard let given = Self.part(given), let family = Self.part(family) else { return nil }
        self.init(stored: given, family)
    }

    /// Creates a name from stored parts, which were checked before they were stored.
    public init(stored given: String, _ family: String) {
        self.given = given
        self.family = family
    }

    public var isEmpty: Bool { given.isEmpty && family.isEmpty }

    /// Both parts in the order of most Western languages.
    public var full: String { given.isEmpty || family.isEmpty ? given + family : given + " " + family }

    private static func part(_ text: String) -> String? {
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let trimmed = text.unicodeScalars.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard trimmed.count <= maximumLength, !trimmed.contains(where: isRefused) else { return nil }
        var part = String.UnicodeScalarView()
        part.append(contentsOf: trimmed)
        return String(part)
    }

    /// Whether the scalar is a control, a line break or a bidirectional control (Unicode Standard Annex 9, section 2).
    ///
    /// With these, a name could rearrange the page on which it is displayed.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }
}
