public import Postgres

/// The name of a team: one line of text.
public struct TeamName: SQLText, Hashable, Sendable, CustomStringConvertible {
    /// In Unicode scalars, as the constraint of the table counts.
    public static let maximumLength = 100

    public let rawValue: String

    /// The name without white space around it; nil when it is empty, too long or not one line of text.
    public init?(rawValue: String) {
        // Most names are plain, and every page of the console reads one.
        if (1...Self.maximumLength).contains(rawValue.utf8.count),
            rawValue.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }), rawValue.utf8.first != 0x20,
            rawValue.utf8.last != 0x20
        {
            self.rawValue = rawValue
            return
        }
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let trimmed = rawValue.unicodeScalars.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard (1...Self.maximumLength).contains(trimmed.count), !trimmed.contains(where: Self.isRefused) else {
            return nil
        }
        var name = String.UnicodeScalarView()
        name.append(contentsOf: trimmed)
        self.rawValue = String(name)
    }

    public var description: String { rawValue }

    /// Whether a name must not contain the scalar: controls, line breaks, and marks that change the direction of the
    /// text around them (Unicode Standard Annex 9, section 2).
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }
}
