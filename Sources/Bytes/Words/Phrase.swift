/// A text of the catalogue by its key, with what is put into it: no words yet, so it can be made where no language
/// is known.
///
///     Phrase("console.users.flash.deleted", ["name": user.shownName])
///     Phrase("console.users.found", count: total)
///
/// Coded as its key and arguments, for what is told later.
///
/// Keys are literals: a test finds each of them in the sources and in the catalogue. What somebody typed goes in as
/// an argument.
public struct Phrase: Hashable, Sendable, Codable {
    /// Where the text stands: `console.users.title` is `title` in `Texts/<language>/console/users.txt`.
    public let key: String
    public let arguments: [Argument]
    /// Chooses among plural forms; the text writes it as `{count}`.
    public let count: Int?
    /// What is said where the catalogue has no such text.
    public let fallback: String?

    /// What stands for `{name}` in the text.
    public struct Argument: Hashable, Sendable, Codable {
        public let name: String
        public let words: Words
    }

    public init(
        _ key: StaticString,
        _ arguments: KeyValuePairs<StaticString, any Wording> = [:],
        count: Int? = nil
    ) {
        self.key = key.description
        self.arguments = arguments.map { Argument(name: $0.key.description, words: $0.value.asWords) }
        self.count = count
        fallback = nil
    }

    /// A text of a family with a text for each name that something is stored under.
    ///
    /// A name without a text is said as it is, with blanks for `_` and `.`.
    public init(in family: StaticString, _ name: String) {
        key = "\(family).\(name)"
        arguments = []
        count = nil
        fallback = String(name.map { $0 == "_" || $0 == "." ? " " : $0 })
    }
}
