/// The name of a person, in the two parts Apple's protocol has; either may be empty.
public struct PersonName: Hashable, Sendable {
    /// Of each part, in Unicode scalars.
    public static let maximumLength = 100

    public let given: String
    public let family: String

    /// Nobody's name.
    public static let none = PersonName(stored: "", "")

    /// The name as somebody typed it, less white space around its parts.
    ///
    /// Nil when a part is too long or holds characters that do not belong in a line of text.
    public init?(given: String, family: String) {
        guard let given = Self.part(given), let family = Self.part(family) else { return nil }
        self.init(stored: given, family)
    }

    /// The name as it was stored, which was checked on its way in.
    init(stored given: String, _ family: String) {
        self.given = given
        self.family = family
    }

    public var isEmpty: Bool { given.isEmpty && family.isEmpty }

    /// Both parts in the order of most western languages.
    public var full: String {
        given.isEmpty || family.isEmpty ? given + family : given + " " + family
    }

    private static func part(_ text: String) -> String? {
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let trimmed = text.unicodeScalars.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard trimmed.count <= maximumLength, !trimmed.contains(where: isRefused) else { return nil }
        var part = String.UnicodeScalarView()
        part.append(contentsOf: trimmed)
        return String(part)
    }

    /// Controls, line breaks, and the marks that turn the direction of the text around them (Unicode Standard
    /// Annex 9, section 2): with them a name could rearrange the page it is shown on.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }
}
