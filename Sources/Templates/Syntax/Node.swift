/// A template as a tree.
enum Node: Sendable {
    /// Bytes of the source.
    case literal(Range<Int>)
    case value(Path)
    case text(TextTag)
    /// `{{content}}`, with its place.
    case content(at: Int)
    case partial(Partial)
    case block(Block)
}

extension Node {
    /// Adds the keys of the texts in it.
    func collectTextKeys(into keys: inout Set<String>) {
        switch self {
        case .text(let text):
            keys.insert(text.key)
        case .block(let block):
            for node in block.arms.flatMap(\.nodes) + block.otherwise { node.collectTextKeys(into: &keys) }
        case .literal, .value, .content, .partial:
            break
        }
    }
}
