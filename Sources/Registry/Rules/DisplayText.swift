import Core

/// Texts shown to users: descriptions on the consent sheet, names of keys.
enum DisplayText {
    static let descriptionLimit = 255
    static let nameLimit = 100

    /// The text as one line, without characters that could make the sheet show another text than was registered (Unicode
    /// TR36, section 3.1).
    static func parse(_ text: String, limit: Int) throws(ValidationError) -> String {
        let line = text.typedLine
        guard !line.isEmpty else { throw .missing }
        guard line.unicodeScalars.count <= limit else { throw .tooLong(limit: limit) }
        return line
    }
}
