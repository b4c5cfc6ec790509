/// Builds the syntax tree of one template and collects all its errors.
struct Parser {
    private let source: Source
    private var diagnostics = Diagnostics()
    private var syntax = Syntax()
    private var open: [OpenBlock] = []
    /// Blocks already closed by an outer closing tag: their own closing tag is no further error.
    private var forgiven: [BlockKind] = []
    /// Whether only comments and blank text were read so far.
    private var isAtTop = true
    /// Whether the nesting limit was exceeded, which stops parsing.
    private var isTooDeep = false

    private struct OpenBlock {
        var block: Block
        var isInElse = false
    }

    init(_ source: Source) { self.source = source }

    mutating func parse() -> (syntax: Syntax, diagnostics: Diagnostics) {
        guard String(validating: source.bytes, as: UTF8.self) != nil else {
            report(0, found: "bytes that are not UTF-8", expected: "a text file in UTF-8")
            return (syntax, diagnostics)
        }
        let (pieces, problems) = Lexer.pieces(of: source)
        diagnostics.report(contentsOf: problems)
        for piece in pieces where !diagnostics.isFull && !isTooDeep { take(piece) }
        while !isTooDeep, let unclosed = open.last {
            reportUnclosed(unclosed.block)
            close()
        }
        return (syntax, diagnostics)
    }

    private mutating func take(_ piece: Piece) {
        let offset = piece.range.lowerBound
        switch piece.tag {
        case nil:
            isAtTop = isAtTop && source.bytes[piece.range].allSatisfy(\.isSpace)
            append(.literal(piece.range))
            return
        case .comment?, .unreadable(opening: nil)?: return
        case .unreadable(let kind?)?:
            let condition = Condition(path: Path(names: ["…"], offset: offset), isNegated: false)
            begin(Block(kind: kind, offset: offset, arms: [Block.Arm(condition: condition)]))
        case .layout(let name)?: takeLayout(name, at: offset)
        case .content?:
            syntax.content = syntax.content ?? offset
            append(.content(at: offset))
        case .partial(let name, let group)?: append(.partial(Partial(name: name, group: group, offset: offset)))
        case .value(let path)?: append(.value(path))
        case .text(let text)?: append(.text(text))
        case .open(let condition, let kind)?:
            begin(Block(kind: kind, offset: offset, arms: [Block.Arm(condition: condition)]))
        case .elseIf(let condition)?: takeElse(condition, at: offset)
        case .otherwise?: takeElse(nil, at: offset)
        case .close(let kind)?: takeClose(kind, at: offset)
        }
        isAtTop = false
    }

    private mutating func takeLayout(_ name: String, at offset: Int) {
        if syntax.layout != nil {
            report(offset, found: "a second layout", expected: "one layout at the top")
        } else if !isAtTop {
            report(offset, found: "`{{layout}}` after other text", expected: "it at the top of the file")
        } else {
            // Blank lines above the layout tag are not part of the page.
            syntax.nodes = []
        }
        syntax.layout = syntax.layout ?? Syntax.Layout(name: name, offset: offset)
    }

    private mutating func begin(_ block: Block) {
        guard open.count < TemplateLimit.nesting else {
            isTooDeep = true
            let found = "`{{#\(block.kind)}}` inside \(TemplateLimit.nesting) other blocks"
            return report(block.offset, found: found, expected: "at most \(TemplateLimit.nesting)")
        }
        open.append(OpenBlock(block: block))
    }

    private mutating func takeElse(_ condition: Condition?, at offset: Int) {
        let tag = condition == nil ? "`{{else}}`" : "`{{else if}}`"
        guard let last = open.indices.last else {
            return report(offset, found: "\(tag) outside a block", expected: "it inside `{{#if}}`")
        }
        let block = open[last].block
        if open[last].isInElse { return report(offset, found: "\(tag) after `{{else}}`", expected: closing(of: block)) }
        guard let condition else {
            open[last].isInElse = true
            return
        }
        guard block.kind == .if else {
            return report(offset, found: "\(tag) in `{{#\(block.kind)}}`", expected: "`{{else}}`")
        }
        open[last].block.arms.append(Block.Arm(condition: condition))
    }

    private mutating func takeClose(_ kind: BlockKind, at offset: Int) {
        guard open.contains(where: { $0.block.kind == kind }) else {
            if let index = forgiven.firstIndex(of: kind) {
                forgiven.remove(at: index)
            } else if let last = open.last {
                report(offset, found: "`{{/\(kind)}}`", expected: closing(of: last.block))
            } else {
                report(offset, found: "`{{/\(kind)}}` without a block", expected: "`{{#\(kind)}}` before it")
            }
            return
        }
        while let last = open.last, last.block.kind != kind {
            report(offset, found: "`{{/\(kind)}}`", expected: closing(of: last.block))
            forgiven.append(last.block.kind)
            close()
        }
        close()
    }

    private mutating func close() {
        guard let done = open.popLast() else { return }
        append(.block(done.block))
    }

    private mutating func append(_ node: Node) {
        guard let last = open.indices.last else { return syntax.nodes.append(node) }
        if open[last].isInElse {
            open[last].block.otherwise.append(node)
        } else {
            open[last].block.arms[open[last].block.arms.count - 1].nodes.append(node)
        }
    }
}

extension Parser {
    private mutating func reportUnclosed(_ block: Block) {
        report(
            block.offset, found: "`{{#\(block.kind) \(text(of: block))}}` that is never closed",
            expected: "`{{/\(block.kind)}}` before the end of the file", )
    }

    private func closing(of block: Block) -> String {
        let line = source.location(at: block.offset).line
        return "`{{/\(block.kind)}}` for `{{#\(block.kind) \(text(of: block))}}` of line \(line)"
    }

    private func text(of block: Block) -> String {
        let condition = block.arms[0].condition
        return (condition.isNegated ? "not " : "") + condition.path.text
    }

    private mutating func report(_ offset: Int, found: String, expected: String) {
        diagnostics.report(Diagnostic(at: source.location(at: offset), found: found, expected: expected))
    }
}
