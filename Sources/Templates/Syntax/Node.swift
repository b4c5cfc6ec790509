/// A template as a tree.
enum Node: Sendable {
    /// Bytes of the source.
    case literal(Range<Int>)
    case value(Path)
    /// `{{content}}`, with its place.
    case content(at: Int)
    case partial(Partial)
    case block(Block)
}
