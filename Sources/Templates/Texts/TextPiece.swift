/// A stretch of a text.
enum TextPiece: Equatable, Sendable {
    /// Escaped wherever it is written.
    case words(String)
    /// `{name}`
    case argument(String)
    /// A tag of the few that texts may have, as it is written.
    case markup(String)
    /// `<a name>`: the tag of a link whose address is the argument.
    case link(String)

    /// The argument it asks for.
    var argument: String? {
        switch self {
        case .argument(let name), .link(let name): name
        case .words, .markup: nil
        }
    }

    var isMarkup: Bool {
        switch self {
        case .markup, .link: true
        case .words, .argument: false
        }
    }
}
