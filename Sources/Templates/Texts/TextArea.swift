public import Bytes

/// A folder of texts, `Texts/<language>/<area>`, and the languages it has to have.
public struct TextArea: Sendable {
    public let name: String
    public let languages: [Language]

    public init(_ name: String, in languages: [Language]) {
        self.name = name
        self.languages = languages
    }
}
