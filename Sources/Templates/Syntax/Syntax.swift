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

/// A parsed template: source, syntax tree and errors.
struct Template: Sendable {
    let source: Source
    let syntax: Syntax
    let diagnostics: Diagnostics

    init(_ source: Source) {
        self.source = source
        var parser = Parser(source)
        (syntax, diagnostics) = parser.parse()
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

/// A part of the source: literal text or one tag.
struct Piece: Equatable, Sendable {
    /// Range in the source; shorter for a literal whose line is removed.
    var range: Range<Int>
    /// Nil for literal text.
    let tag: Tag?
}

/// A localized text in a template, as in `{{t "key" name=path}}`.
struct TextTag: Equatable, Sendable {
    let key: String
    let arguments: [Argument]
    /// Offset of the tag's content.
    let offset: Int

    /// The value of the placeholder `{name}`.
    struct Argument: Equatable, Sendable {
        let name: String
        let value: Value
        let offset: Int
    }

    enum Value: Equatable, Sendable {
        case path(Path)
        /// A quoted string in the template.
        case literal(String)
    }
}

/// Removes the lines that hold only tags without output, such as block tags and comments.
enum StandaloneLines {
    static func removed(from pieces: [Piece], of source: Source) -> [Piece] {
        var result = pieces
        var index = 0
        while index < pieces.count {
            guard pieces[index].tag?.leavesNoLine == true else {
                index += 1
                continue
            }
            let run = run(from: index, in: pieces, of: source)
            if let before = start(ofLineAt: run.lowerBound, in: pieces, of: source),
                let after = end(ofLineAt: run.upperBound, in: pieces, of: source)
            {
                cut(&result, run, from: before, to: after)
            }
            index = run.upperBound
        }
        return result.filter { $0.tag != nil || !$0.range.isEmpty }
    }

    /// Returns the range of such tags on one line that are separated only by blanks.
    private static func run(from first: Int, in pieces: [Piece], of source: Source) -> Range<Int> {
        var end = first + 1
        var next = end
        while next < pieces.count {
            if pieces[next].tag?.leavesNoLine == true {
                next += 1
                end = next
            } else if pieces[next].tag == nil, source.bytes[pieces[next].range].allSatisfy(isBlank) {
                next += 1
            } else {
                break
            }
        }
        return first..<end
    }

    /// Returns the start of the piece's line if only blanks are before the piece, otherwise nil.
    private static func start(ofLineAt index: Int, in pieces: [Piece], of source: Source) -> Int? {
        guard index > 0 else { return pieces[index].range.lowerBound }
        let before = pieces[index - 1]
        guard before.tag == nil else { return nil }
        let bytes = source.bytes[before.range]
        guard let last = bytes.lastIndex(where: { !isBlank($0) }) else {
            return index == 1 ? before.range.lowerBound : nil
        }
        return bytes[last] == UInt8(ascii: "\n") ? last + 1 : nil
    }

    /// Returns the start of the next line if only blanks follow the last piece, otherwise nil.
    private static func end(ofLineAt index: Int, in pieces: [Piece], of source: Source) -> Int? {
        guard index < pieces.count else { return source.bytes.count }
        let after = pieces[index]
        guard after.tag == nil else { return nil }
        let bytes = source.bytes[after.range]
        guard let first = bytes.firstIndex(where: { !isBlank($0) && $0 != UInt8(ascii: "\r") }) else {
            return index == pieces.count - 1 ? after.range.upperBound : nil
        }
        return bytes[first] == UInt8(ascii: "\n") ? first + 1 : nil
    }

    /// Cuts the line out of the literals beside the run and empties the literals inside it.
    private static func cut(_ pieces: inout [Piece], _ run: Range<Int>, from before: Int, to after: Int) {
        if run.lowerBound > 0 {
            let range = pieces[run.lowerBound - 1].range
            pieces[run.lowerBound - 1].range = range.lowerBound..<max(range.lowerBound, before)
        }
        if run.upperBound < pieces.count {
            let range = pieces[run.upperBound].range
            pieces[run.upperBound].range = min(range.upperBound, after)..<range.upperBound
        }
        for index in run where pieces[index].tag == nil {
            let start = pieces[index].range.lowerBound
            pieces[index].range = start..<start
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
