/// A text of the catalogue where it is said, as in `{{t "key" name=path}}`.
struct TextTag: Equatable, Sendable {
    let key: String
    let arguments: [Argument]
    /// Where the tag's inside begins.
    let offset: Int

    /// What stands for `{name}`.
    struct Argument: Equatable, Sendable {
        let name: String
        let value: Value
        let offset: Int
    }

    enum Value: Equatable, Sendable {
        case path(Path)
        /// As it stands in the template, in quotes.
        case literal(String)
    }
}
