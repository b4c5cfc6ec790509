/// Texts shown to users: descriptions on the consent sheet, names of keys.
enum DisplayText {
    static let descriptionLimit = 255
    static let nameLimit = 100

    /// The text without surrounding white space.
    ///
    /// Rejects characters that could make the sheet show another text than was registered: control characters, line
    /// breaks and bidirectional formatting characters (Unicode TR36, section 3.1).
    static func parse(_ text: String, limit: Int) throws(ValidationError) -> String {
        let scalars = text.unicodeScalars
        if let scalar = scalars.first(where: isUnprintable) { throw .unprintable(scalar) }
        let trimmed = String(trim(scalars[...]))
        guard !trimmed.isEmpty else { throw .missing }
        guard trimmed.unicodeScalars.count <= limit else { throw .tooLong(limit: limit) }
        return trimmed
    }

    private static func trim(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let start = text.drop { $0.properties.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return start }
        return start[...last]
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }
}
