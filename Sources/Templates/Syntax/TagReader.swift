/// Parses the content of one tag.
struct TagReader {
    private let source: Source
    private var cursor: Int
    private let end: Int

    /// - Parameter inside: the range between `{{` and `}}`.
    init(_ source: Source, inside: Range<Int>) {
        self.source = source
        cursor = inside.lowerBound
        end = inside.upperBound
    }

    mutating func tag() throws(TagProblem) -> Tag {
        skipSpaces()
        guard let first = peek else { throw problem("an empty tag", expected: "`{{name}}`") }
        switch first {
        case UInt8(ascii: "!"): return .comment
        case UInt8(ascii: ">"):
            cursor += 1
            return try partial()
        case UInt8(ascii: "#"):
            cursor += 1
            return try opening()
        case UInt8(ascii: "/"):
            cursor += 1
            return try closing()
        case UInt8(ascii: "{"):
            throw problem("`{{{`", expected: "`{{name}}`; markup is a value of type SafeHTML, not a tag")
        default: return try named()
        }
    }

    private mutating func named() throws(TagProblem) -> Tag {
        let start = cursor
        let word = word()
        switch word {
        case "layout":
            let name = try quoted("`{{layout \"layouts/name\"}}`")
            try finish("`}}` after the name of the layout")
            return .layout(name)
        case "content":
            try finish("`{{content}}`")
            return .content
        case "else": return try otherwise()
        case "t": return try text(at: start)
        default:
            let path = try path(word, at: start)
            skipSpaces()
            if peek != nil { throw unknown("tag", word, at: start) }
            return .value(path)
        }
    }

    private mutating func text(at start: Int) throws(TagProblem) -> Tag {
        let form = "`{{t \"area.room.key\"}}`"
        let key = try quoted(form)
        guard TextKey.isKey(key) else { throw problem("the key `\(Self.shortened(key))`", at: start, expected: form) }
        var arguments: [TextTag.Argument] = []
        while true {
            skipSpaces()
            guard peek != nil else { return .text(TextTag(key: key, arguments: arguments, offset: start)) }
            let argument = try textArgument()
            if arguments.contains(where: { $0.name == argument.name }) {
                throw problem("`\(argument.name)=` twice", at: argument.offset, expected: "each argument once")
            }
            arguments.append(argument)
        }
    }

    /// Reads `name=path` or `name="text"`.
    private mutating func textArgument() throws(TagProblem) -> TextTag.Argument {
        let start = cursor
        while let byte = peek, !byte.isSpace, byte != UInt8(ascii: "="), byte != UInt8(ascii: "\"") { cursor += 1 }
        let name = source.text(start..<cursor)
        guard peek == UInt8(ascii: "="), Path.isName(name) else {
            throw problem("`\(Self.shortened(name))`", at: start, expected: "an argument, `name=path`")
        }
        cursor += 1
        if peek == UInt8(ascii: "\"") {
            let literal = try quoted("`\(name)=\"text\"`")
            return TextTag.Argument(name: name, value: .literal(literal), offset: start)
        }
        let pathStart = cursor
        let path = try path(word(), at: pathStart)
        return TextTag.Argument(name: name, value: .path(path), offset: start)
    }

    private mutating func otherwise() throws(TagProblem) -> Tag {
        skipSpaces()
        guard peek != nil else { return .otherwise }
        let start = cursor
        let word = word()
        guard word == "if" else {
            throw problem("`else \(word)`", at: start, expected: "`{{else}}` or `{{else if name}}`")
        }
        return .elseIf(try condition(of: .if))
    }

    private mutating func partial() throws(TagProblem) -> Tag {
        let name = try quoted("`{{> \"partials/name\"}}`")
        skipSpaces()
        guard peek != nil else { return .partial(name, with: nil) }
        let start = cursor
        let word = word()
        guard word == "with" else { throw problem("`\(word)`", at: start, expected: "`with` and a group, or `}}`") }
        let group = try condition(of: .with).path
        return .partial(name, with: group)
    }

    private mutating func opening() throws(TagProblem) -> Tag {
        skipSpaces()
        let start = cursor
        let word = word()
        guard let kind = BlockKind(rawValue: word) else { throw unknown("block", "#" + word, at: start) }
        do throws(TagProblem) { return .open(try condition(of: kind), of: kind) } catch {
            var problem = error
            problem.opening = kind
            throw problem
        }
    }

    private mutating func closing() throws(TagProblem) -> Tag {
        skipSpaces()
        let start = cursor
        let word = word()
        guard let kind = BlockKind(rawValue: word) else { throw unknown("block", "/" + word, at: start) }
        try finish("`{{/\(kind)}}`")
        return .close(kind)
    }

    private mutating func condition(of kind: BlockKind) throws(TagProblem) -> Condition {
        skipSpaces()
        var start = cursor
        var name = word()
        var isNegated = false
        if kind == .if, name == "not" {
            isNegated = true
            skipSpaces()
            start = cursor
            name = word()
        }
        let path = try path(name, at: start)
        try finish("`}}` after `\(path.text)`")
        return Condition(path: path, isNegated: isNegated)
    }

    private func path(_ text: String, at offset: Int) throws(TagProblem) -> Path {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        guard names.count <= TemplateLimit.nesting, names.allSatisfy(Path.isName) else {
            let found = text.isEmpty ? "nothing" : "`\(Self.shortened(text))`"
            let reason = Path.reserved.contains(text) ? ", which is a word of the syntax" : ""
            throw problem(found + reason, at: offset, expected: "a name (letters, digits, `_`, groups joined by `.`)")
        }
        return Path(names: names.map(String.init), offset: offset)
    }

    private mutating func quoted(_ form: String) throws(TagProblem) -> String {
        skipSpaces()
        let start = cursor
        guard peek == UInt8(ascii: "\"") else {
            let word = word()
            let found = word.isEmpty ? "nothing" : "`\(Self.shortened(word))`"
            throw problem(found, at: start, expected: "a name in quotes: \(form)")
        }
        guard let close = source.bytes[start + 1..<end].firstIndex(of: UInt8(ascii: "\"")) else {
            throw problem("`\"` without its closing `\"`", at: start, expected: form)
        }
        cursor = close + 1
        return source.text(start + 1..<close)
    }

    private mutating func finish(_ expected: String) throws(TagProblem) {
        skipSpaces()
        guard peek != nil else { return }
        let start = cursor
        let rest = source.text(start..<end)
        throw problem("`\(Self.shortened(rest))`", at: start, expected: expected)
    }
}

extension TagReader {
    private var peek: UInt8? { cursor < end ? source.bytes[cursor] : nil }

    private mutating func skipSpaces() { while let byte = peek, byte.isSpace { cursor += 1 } }

    private mutating func word() -> String {
        let start = cursor
        while let byte = peek, !byte.isSpace, byte != UInt8(ascii: "\"") { cursor += 1 }
        return source.text(start..<cursor)
    }

    private func unknown(_ what: String, _ word: String, at offset: Int) -> TagProblem {
        let blocks = BlockKind.allCases.map(\.rawValue)
        let known = what == "block" ? blocks : ["layout", "content", "else", "t"]
        let bare = word.drop { $0 == "#" || $0 == "/" }
        var problem = problem(
            bare.isEmpty ? "a block without a name" : "the unknown \(what) `\(Self.shortened(word))`", at: offset,
            expected: what == "block" ? "`if`, `each` or `with`" : "a name alone, `layout`, `content`, `else` or `t`", )
        problem.hint = NearestName.of(String(bare), among: known)
        return problem
    }

    private func problem(_ found: String, at offset: Int? = nil, expected: String) -> TagProblem {
        TagProblem(offset: offset ?? cursor, found: found, expected: expected)
    }

    /// Shortens a text to one line of at most 40 characters for a diagnostic.
    private static func shortened(_ text: String) -> String {
        let line = text.unicodeScalars.prefix(40).map { $0.value < 0x20 ? " " : String($0) }.joined()
        return line.utf8.count < text.utf8.count ? line + "…" : line
    }
}

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
