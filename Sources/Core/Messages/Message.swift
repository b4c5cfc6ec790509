/// A text of the catalogue by its key, with its arguments; it can be created where no language is known.
///
///     Message("console.users.flash.deleted", ["name": user.shownName])
///     Message("console.users.found", count: total)
///
/// Encoded as its key and arguments, for messages that are stored and rendered later.
///
/// Keys are literals: a test looks up each of them in the sources and in the catalogue. User input is passed as an
/// argument.
public struct Message: Hashable, Sendable, Codable {
    /// Location of the text: `console.users.title` is `title` in `Texts/<language>/console/users.txt`.
    public let key: String
    public let arguments: [Argument]
    /// Selects the plural form and replaces `{count}` in the text.
    public let count: Int?
    /// Text to use if the catalogue does not contain the key.
    public let fallback: String?

    /// Value of the placeholder `{name}` in the text.
    public struct Argument: Hashable, Sendable, Codable {
        public let name: String
        public let words: LocalizedText
    }

    /// A literal of the source: text that needs no memory of its own.
    public struct Literal: ExpressibleByStringLiteral, Sendable {
        let text: String

        public init(stringLiteral text: String) { self.text = text }
    }

    public init(
        _ key: Literal, _ arguments: KeyValuePairs<Literal, any LocalizedTextConvertible> = [:], count: Int? = nil
    ) {
        self.key = key.text
        self.arguments = arguments.map { Argument(name: $0.key.text, words: $0.value.localizedText) }
        self.count = count
        fallback = nil
    }

    /// Creates the message `family.name`, where `family` has a text for each name that a value is stored under.
    ///
    /// A name without a text is shown as it is, with spaces for `_` and `.`.
    public init(
        in family: StaticString, _ name: String, _ arguments: KeyValuePairs<Literal, any LocalizedTextConvertible> = [:]
    ) {
        key = "\(family).\(name)"
        self.arguments = arguments.map { Argument(name: $0.key.text, words: $0.value.localizedText) }
        count = nil
        fallback = String(name.map { $0 == "_" || $0 == "." ? " " : $0 })
    }
}
