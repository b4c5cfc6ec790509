import Core

/// Parses one text file.
///
///     # a comment
///     title = Users
///     found[one] = {count} person
///     found[other] = {count} people
///     help = A long text continues
///         on indented lines.
struct TextFileParser {
    private let source: Source
    private let language: Language
    private(set) var diagnostics = Diagnostics()
    private var texts: [Text] = []

    /// A key with one form, before entries are merged.
    private struct Text {
        let key: String
        let category: PluralCategory?
        let offset: Int
        var lines: [Range<Int>]
    }

    /// - Parameter source: the file; its `name` is language, area and file, joined by `/`.
    init(_ source: Source, in language: Language) {
        self.source = source
        self.language = language
    }

    /// Returns the texts of the file by their keys within it.
    mutating func parse() -> [(key: String, entry: TextEntry)] {
        guard String(validating: source.bytes, as: UTF8.self) != nil else {
            report(0, found: "bytes that are not UTF-8", expected: "a text file in UTF-8")
            return []
        }
        readLines()
        var entries: [(key: String, entry: TextEntry)] = []
        var places: [String: Int] = [:]
        for text in texts where !diagnostics.isFull {
            let pieces = pieces(of: text)
            guard let place = places[text.key] else {
                places[text.key] = entries.count
                let entry = TextEntry(
                    location: source.location(at: text.offset), [text.category ?? .other: pieces],
                    isPlural: text.category != nil)
                entries.append((text.key, entry))
                continue
            }
            add(text, pieces, to: &entries[place].entry)
        }
        for (key, entry) in entries where entry.isPlural { checkCategories(of: key, entry) }
        return entries
    }

    private mutating func add(_ text: Text, _ pieces: [TextPiece], to entry: inout TextEntry) {
        guard let category = text.category, entry.isPlural, entry.forms[category] == nil else {
            let name = text.key + (text.category.map { "[\($0.rawValue)]" } ?? "")
            let found = "`\(name)` again after line \(entry.location.line)"
            return report(text.offset, found: found, expected: "each text once, or forms for different numbers")
        }
        entry = entry.with(pieces, of: category)
    }

    private mutating func pieces(of text: Text) -> [TextPiece] {
        var reader = TextFormReader(source)
        let pieces = reader.read(text.lines)
        diagnostics.report(contentsOf: reader.diagnostics)
        if pieces.isEmpty, reader.diagnostics.all.isEmpty {
            report(text.offset, found: "`\(text.key)` without a text", expected: "a text after `=`")
        }
        return pieces
    }

    private mutating func checkCategories(of key: String, _ entry: TextEntry) {
        let needed = language.pluralCategories
        let expected = needed.map { "[\($0.rawValue)]" }.joined(separator: ", ")
        for category in needed where entry.forms[category] == nil {
            diagnostics.report(
                Diagnostic(
                    at: entry.location, found: "`\(key)` without the form `[\(category.rawValue)]`",
                    expected: "the forms of \(language.tag): \(expected)"))
        }
        for category in entry.forms.keys.map(\.rawValue).sorted() where !needed.map(\.rawValue).contains(category) {
            let found = "the form `[\(category)]` of `\(key)`, which no whole number takes"
            diagnostics.report(
                Diagnostic(at: entry.location, found: found, expected: "the forms of \(language.tag): \(expected)"))
        }
    }
}

extension TextFileParser {
    private mutating func readLines() {
        let bytes = source.bytes
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        /// Whether an indented line continues the text before it.
        var isOpen = false
        while start < bytes.count, !diagnostics.isFull {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = trimmed(start..<end)
            if line.isEmpty || bytes[start] == UInt8(ascii: "#") {
                isOpen = false
            } else if line.lowerBound > start {
                continueEntry(with: line, isOpen)
            } else {
                isOpen = begin(line)
            }
            start = end + 1
        }
    }

    private mutating func continueEntry(with line: Range<Int>, _ isOpen: Bool) {
        if isOpen {
            texts[texts.count - 1].lines.append(line)
        } else {
            report(line.lowerBound, found: "an indented line after no text", expected: "`key = text` before it")
        }
    }

    /// Reads `key = text` or `key[category] = text`; returns false after reporting an error.
    private mutating func begin(_ line: Range<Int>) -> Bool {
        guard let equals = source.bytes[line].firstIndex(of: UInt8(ascii: "=")) else {
            report(line.lowerBound, found: "a line without `=`", expected: "`key = text`, or an indented line")
            return false
        }
        let name = source.text(trimmed(line.lowerBound..<equals))
        let parts = name.split(separator: "[", omittingEmptySubsequences: false)
        let category =
            parts.count == 2 && parts[1].hasSuffix("]") ? PluralCategory(rawValue: String(parts[1].dropLast())) : nil
        guard TextKey.isKey(parts[0]), parts.count == 1 || category != nil else {
            let expected =
                "letters, digits, `-`, `_` and `.`, then `[one]`, `[few]`, `[many]` or `[other]` if numbers count"
            report(line.lowerBound, found: "the key `\(name)`", expected: expected)
            return false
        }
        let text = trimmed(equals + 1..<line.upperBound)
        let lines = text.isEmpty ? [] : [text]
        texts.append(Text(key: String(parts[0]), category: category, offset: line.lowerBound, lines: lines))
        return true
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, source.bytes[start].isSpace { start += 1 }
        while end > start, source.bytes[end - 1].isSpace { end -= 1 }
        return start..<end
    }

    private mutating func report(_ offset: Int, found: String, expected: String) {
        diagnostics.report(Diagnostic(at: source.location(at: offset), found: found, expected: expected))
    }
}

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
        return next.isASCIILetter || next == UInt8(ascii: "/") || next == UInt8(ascii: "!")
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
