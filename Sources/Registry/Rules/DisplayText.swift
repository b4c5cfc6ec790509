import Core

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
        let trimmed = text.trimmedWhiteSpace
        guard !trimmed.isEmpty else { throw .missing }
        guard trimmed.unicodeScalars.count <= limit else { throw .tooLong(limit: limit) }
        return trimmed
    }

    /// Whether the scalar is a control, a line break, or changes the direction of the text around it (Unicode Standard
    /// Annex 9, section 2).
    static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value >= 0x20, scalar.value < 0x7F { return false }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }
}
