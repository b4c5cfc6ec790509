/// Splits a template into literal text and tags.
struct Lexer {
    private let source: Source
    private var diagnostics = Diagnostics()
    private var pieces: [Piece] = []
    private var literalStart = 0

    private init(_ source: Source) { self.source = source }

    /// Returns the pieces in order, without the lines that hold only block tags, and the syntax errors.
    static func pieces(of source: Source) -> (pieces: [Piece], diagnostics: Diagnostics) {
        var lexer = Lexer(source)
        lexer.run()
        return (StandaloneLines.removed(from: lexer.pieces, of: source), lexer.diagnostics)
    }

    private mutating func run() {
        var cursor = source.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        literalStart = cursor
        while cursor < source.bytes.count, !diagnostics.isFull {
            guard isPair(UInt8(ascii: "{"), at: cursor) else {
                cursor += 1
                continue
            }
            cursor = readTag(at: cursor)
        }
        endLiteral(at: source.bytes.count)
    }

    /// Reads the tag that begins at `start` and returns the offset to continue at.
    private mutating func readTag(at start: Int) -> Int {
        let inside = start + 2
        guard let end = endOfTag(from: inside) else {
            let isComment = inside < source.bytes.count && source.bytes[inside] == UInt8(ascii: "!")
            report(
                start, found: isComment ? "a comment that does not end" : "`{{` without `}}` on its line",
                expected: isComment ? "`}}`" : "a whole tag, `{{name}}`", )
            return isComment ? source.bytes.count : inside
        }
        endLiteral(at: start)
        literalStart = end + 2
        var reader = TagReader(source, inside: inside..<end)
        do throws(TagProblem) { pieces.append(Piece(range: start..<end + 2, tag: try reader.tag())) } catch {
            report(error.offset, found: error.found, expected: error.expected, hint: error.hint)
            pieces.append(Piece(range: start..<end + 2, tag: .unreadable(opening: error.opening)))
        }
        return end + 2
    }

    /// Returns the offset of `}}`: for a comment anywhere below, for other tags on the line and before the next `{{`.
    private func endOfTag(from inside: Int) -> Int? {
        let bytes = source.bytes
        var cursor = inside
        let isComment = cursor < bytes.count && bytes[cursor] == UInt8(ascii: "!")
        while cursor < bytes.count {
            if isPair(UInt8(ascii: "}"), at: cursor) { return cursor }
            let endsEarly =
                bytes[cursor] == UInt8(ascii: "\n") || (cursor > inside && isPair(UInt8(ascii: "{"), at: cursor))
            if !isComment, endsEarly { return nil }
            cursor += 1
        }
        return nil
    }

    private func isPair(_ byte: UInt8, at offset: Int) -> Bool {
        offset + 1 < source.bytes.count && source.bytes[offset] == byte && source.bytes[offset + 1] == byte
    }

    private mutating func endLiteral(at end: Int) {
        guard literalStart < end else { return }
        pieces.append(Piece(range: literalStart..<end, tag: nil))
    }

    private mutating func report(_ offset: Int, found: String, expected: String, hint: String? = nil) {
        diagnostics.report(Diagnostic(at: source.location(at: offset), found: found, expected: expected, hint: hint))
    }
}

/// A part of the source: literal text or one tag.
struct Piece: Equatable, Sendable {
    /// Range in the source; shorter for a literal whose line is removed.
    var range: Range<Int>
    /// Nil for literal text.
    let tag: Tag?
}
