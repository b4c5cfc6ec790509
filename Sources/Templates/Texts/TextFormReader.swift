/// Reads the pieces of one text: plain text, placeholders and the allowed tags.
struct TextFormReader {
    private static let tags: Set<String> = ["b", "strong", "em", "code"]

    private let source: Source
    private var pieces: [TextPiece] = []
    private var words: [UInt8] = []
    /// Tags that are not closed yet.
    private var open: [String] = []
    private(set) var diagnostics = Diagnostics()

    init(_ source: Source) { self.source = source }

    /// Returns the pieces of a text's lines, which are joined by a space.
    mutating func read(_ lines: [Range<Int>]) -> [TextPiece] {
        for (index, line) in lines.enumerated() {
            if index > 0 { words.append(UInt8(ascii: " ")) }
            read(line)
        }
        endWords()
        if let tag = open.last, let start = lines.first?.lowerBound {
            report(start, found: "`<\(tag)>` that is never closed", expected: "`</\(tag)>`")
        }
        return pieces
    }

    private mutating func read(_ line: Range<Int>) {
        var cursor = line.lowerBound
        while cursor < line.upperBound {
            switch source.bytes[cursor] {
            case UInt8(ascii: "{"): cursor = readPlaceholder(at: cursor, in: line)
            case UInt8(ascii: "}"):
                report(cursor, found: "`}` without `{`", expected: "`{name}`")
                cursor += 1
            case UInt8(ascii: "<") where isTag(at: cursor, in: line): cursor = readTag(at: cursor, in: line)
            case let byte:
                words.append(byte)
                cursor += 1
            }
        }
    }

    private mutating func readPlaceholder(at start: Int, in line: Range<Int>) -> Int {
        guard let end = source.bytes[start..<line.upperBound].firstIndex(of: UInt8(ascii: "}")) else {
            report(start, found: "`{` without `}` on its line", expected: "`{name}`")
            return line.upperBound
        }
        let name = source.text(start + 1..<end)
        if Path.isName(name) {
            endWords()
            pieces.append(.argument(name))
        } else {
            report(start, found: "the placeholder `{\(name)}`", expected: "a name in braces: `{name}`")
        }
        return end + 1
    }

    /// Whether a tag begins here; a `<` without a tag is literal.
    private func isTag(at start: Int, in line: Range<Int>) -> Bool {
        guard start + 1 < line.upperBound else { return false }
        let next = source.bytes[start + 1]
        return next.isLetter || next == UInt8(ascii: "/") || next == UInt8(ascii: "!")
    }

    private mutating func readTag(at start: Int, in line: Range<Int>) -> Int {
        guard let end = source.bytes[start..<line.upperBound].firstIndex(of: UInt8(ascii: ">")) else {
            report(start, found: "a tag without `>` on its line", expected: "a whole tag")
            return line.upperBound
        }
        endWords()
        let tag = source.text(start + 1..<end)
        if tag.utf8.first == UInt8(ascii: "/") {
            close(String(tag.dropFirst()), at: start)
        } else if Self.tags.contains(tag) {
            open.append(tag)
            pieces.append(.markup("<\(tag)>"))
        } else if tag.hasPrefix("a "), Path.isName(tag.dropFirst(2)) {
            open.append("a")
            pieces.append(.link(String(tag.dropFirst(2))))
        } else {
            let expected = "`<b>`, `<strong>`, `<em>`, `<code>` or `<a name>`, whose address is an argument"
            report(start, found: "the tag `<\(tag)>`", expected: expected)
        }
        return end + 1
    }

    private mutating func close(_ tag: String, at start: Int) {
        guard let last = open.last, last == tag else {
            let expected = open.last.map { "`</\($0)>`" } ?? "its beginning before it"
            return report(start, found: "`</\(tag)>`", expected: expected)
        }
        open.removeLast()
        pieces.append(.markup("</\(tag)>"))
    }

    private mutating func endWords() {
        guard !words.isEmpty else { return }
        pieces.append(.words(String(decoding: words, as: UTF8.self)))
        words = []
    }

    private mutating func report(_ offset: Int, found: String, expected: String) {
        diagnostics.report(Diagnostic(at: source.location(at: offset), found: found, expected: expected))
    }
}
