import Core

/// Syntax tree of a template, independent of the page that fills it.
struct Syntax: Sendable {
    var layout: Layout?
    /// Offset of the first `{{content}}`.
    var content: Int?
    var nodes: [Node] = []

    /// The layout around this template.
    struct Layout: Sendable {
        let name: String
        let offset: Int
    }
}

/// A node of the syntax tree.
enum Node: Sendable {
    /// Bytes of the source.
    case literal(Range<Int>)
    case value(Path)
    case text(TextTag)
    /// `{{content}}`, with its offset.
    case content(at: Int)
    case partial(Partial)
    case block(Block)
}

extension Node {
    /// Inserts the keys of all texts in the node.
    func collectTextKeys(into keys: inout Set<String>) {
        switch self {
        case .text(let text): keys.insert(text.key)
        case .block(let block):
            for node in block.arms.flatMap(\.nodes) + block.otherwise { node.collectTextKeys(into: &keys) }
        case .literal, .value, .content, .partial: break
        }
    }
}

/// A block with its content.
struct Block: Sendable {
    let kind: BlockKind
    /// Offset of the opening tag.
    let offset: Int
    /// One arm for `each` and `with`; one per `if` and `else if` otherwise.
    var arms: [Arm]
    var otherwise: [Node] = []

    struct Arm: Sendable {
        let condition: Condition
        var nodes: [Node] = []
    }
}

/// The kinds of blocks.
enum BlockKind: String, Equatable, Sendable, CaseIterable { case `if`, each, with }

/// The condition of a block's tag; only `if` can be negated.
struct Condition: Equatable, Sendable {
    let path: Path
    let isNegated: Bool
}

/// A partial, as in `{{> "name" with group}}`.
struct Partial: Sendable {
    let name: String
    let group: Path?
    let offset: Int
}

/// The path to a field: its name, after the names of the groups around it.
struct Path: Equatable, Sendable {
    let names: [String]
    /// Offset of the first byte in the source.
    let offset: Int

    var text: String { names.joined(separator: ".") }

    /// Keywords of the template syntax.
    static let reserved: Set<String> = ["if", "not", "each", "with", "else", "layout", "content", "this", "t"]

    /// Whether the text is a name: letters, digits and underscores, not beginning with a digit, and not a keyword.
    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter || first == UInt8(ascii: "_") else { return false }
        return text.utf8.count <= TemplateLimit.nameBytes && !reserved.contains(String(text))
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
    }
}
