/// What a field holds, as far as a template can tell.
@usableFromInline
enum FieldKind: Sendable {
    case text
    case optionalText
    case words
    case optionalWords
    case integer
    case flag
    case html
    case url
    case list(Schema)
    case group(Schema)
    case optionalGroup(Schema)

    /// As a diagnostic says it.
    var noun: String {
        switch self {
        case .text: "a text"
        case .optionalText: "an optional text"
        case .words: "words"
        case .optionalWords: "optional words"
        case .integer: "a number"
        case .flag: "a flag"
        case .html: "a SafeHTML"
        case .url: "a SafeURL"
        case .list: "a list"
        case .group: "a group"
        case .optionalGroup: "an optional group"
        }
    }

    /// The names inside a list's rows or a group.
    var schema: Schema? {
        switch self {
        case .list(let schema), .group(let schema), .optionalGroup(let schema): schema
        default: nil
        }
    }
}
