/// Content of a tag between `{{` and `}}`.
enum Tag: Equatable, Sendable {
    case comment
    case layout(String)
    case content
    case partial(String, with: Path?)
    case open(Condition, of: BlockKind)
    case elseIf(Condition)
    case otherwise
    case close(BlockKind)
    case value(Path)
    case text(TextTag)
    /// A tag whose error is already reported; the kind is kept so that the rest of its block is still parsed.
    case unreadable(opening: BlockKind?)

    /// Whether a line that holds only this tag is removed, because the tag has no output at its position.
    var leavesNoLine: Bool {
        switch self {
        case .comment, .layout, .open, .elseIf, .otherwise, .close, .unreadable: true
        case .content, .partial, .value, .text: false
        }
    }
}

/// A syntax error in a tag.
struct TagProblem: Error {
    let offset: Int
    let found: String
    let expected: String
    var hint: String?
    /// The kind of block that the tag opens.
    var opening: BlockKind?
}
