public import Core

/// A folder of texts, `Texts/<language>/<area>`, and its required languages.
public struct TextArea: Sendable {
    public let name: String
    public let languages: [Language]

    public init(_ name: String, in languages: [Language]) {
        self.name = name
        self.languages = languages
    }
}
