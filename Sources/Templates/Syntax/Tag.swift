/// What stands between `{{` and `}}`.
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
    /// Reported already; kept where it opens a block, so that the rest of the block has its place.
    case unreadable(opening: BlockKind?)

    /// Whether a line that holds nothing else vanishes: the tag puts nothing in its own place.
    var leavesNoLine: Bool {
        switch self {
        case .comment, .layout, .open, .elseIf, .otherwise, .close, .unreadable: true
        case .content, .partial, .value, .text: false
        }
    }
}
