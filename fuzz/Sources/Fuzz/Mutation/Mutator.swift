import CFuzzer

/// Derives requests from requests.
///
/// It changes values, pairs and lines instead of octets, so most results still pass the first parser.
struct Mutator {
    /// Valid requests, to start from and to take parts from.
    let templates: [[UInt8]]

    /// - Parameter room: maximum number of octets of the result.
    func mutate(_ input: [UInt8], room: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var text = input
        if text.count < 8 || random.isOne(of: 8) { text = templates.randomElement(using: &random) ?? text }
        for _ in 0..<Int.random(in: 1...3, using: &random) { change(&text, &random) }
        return Array(text.prefix(room))
    }

    private func change(_ text: inout [UInt8], _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: replaceValue(in: &text, &random)
        case 7..<9: mutateOctets(in: &text, &random)
        case 9..<11: repeatPiece(of: &text, &random)
        case 11..<13: dropPiece(of: &text, &random)
        case 13: swapValues(in: &text, &random)
        case 14: insertHeader(into: &text, &random)
        case 15: replaceMethod(in: &text, &random)
        case 16: wrapValue(in: &text, &random)
        case 17, 18: takeValue(into: &text, &random)
        default: append(to: &text, &random)
        }
    }

    /// Replaces a value with one of the vocabulary, mostly of its own kind.
    private func replaceValue(in text: inout [UInt8], _ random: inout SeededGenerator) {
        guard let range = value(of: text, &random) else { return }
        let isNumber = text[range].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isInJSON =
            range.lowerBound > 0 && [UInt8(ascii: ":"), UInt8(ascii: "\"")].contains(text[range.lowerBound - 1])
        let choice = Int.random(in: 0..<4, using: &random)
        let source =
            if isNumber && choice < 3 { Vocabulary.numbers } else if isInJSON && choice < 2 { Vocabulary.json } else {
                [Vocabulary.texts, Vocabulary.texts, Vocabulary.numbers, Vocabulary.json][choice]
            }
        text.replaceSubrange(range, with: (source.randomElement(using: &random) ?? "").utf8)
    }

    /// A random value of the request, mostly after its path, so that the path stays unchanged.
    private func value(of text: [UInt8], _ random: inout SeededGenerator) -> Range<Int>? {
        let values = Self.values(in: text)
        guard !random.isOne(of: 4), let start = Self.start(of: text) else {
            return values.randomElement(using: &random)
        }
        return values.filter { $0.lowerBound > start }.randomElement(using: &random)
            ?? values.randomElement(using: &random)
    }

    /// Applies libFuzzer's own mutation to a value.
    private func mutateOctets(in text: inout [UInt8], _ random: inout SeededGenerator) {
        guard let range = value(of: text, &random) else { return }
        var value = Array(text[range])
        let room = value.count + 32
        value += [UInt8](repeating: 0, count: room - value.count)
        let count = unsafe value.withUnsafeMutableBufferPointer { octets in
            unsafe LLVMFuzzerMutate(octets.baseAddress, range.count, room)
        }
        text.replaceSubrange(range, with: value.prefix(count))
    }

    private func repeatPiece(of text: inout [UInt8], _ random: inout SeededGenerator) {
        let start = Self.start(of: text) ?? 0
        guard let range = Self.pieces(of: text).filter({ $0.lowerBound >= start }).randomElement(using: &random) else {
            return
        }
        let separator = range.lowerBound > 0 ? text[range.lowerBound - 1] : UInt8(ascii: "&")
        text.insert(contentsOf: [separator] + text[range], at: range.upperBound)
    }

    private func dropPiece(of text: inout [UInt8], _ random: inout SeededGenerator) {
        let start = random.isOne(of: 4) ? 0 : Self.start(of: text) ?? 0
        guard let range = Self.pieces(of: text).filter({ $0.lowerBound >= start }).randomElement(using: &random) else {
            return
        }
        text.removeSubrange(range)
    }

    private func swapValues(in text: inout [UInt8], _ random: inout SeededGenerator) {
        let values = Self.values(in: text)
        guard let one = values.randomElement(using: &random), let other = values.randomElement(using: &random),
            one.upperBound <= other.lowerBound
        else { return }
        let (first, second) = (Array(text[one]), Array(text[other]))
        text.replaceSubrange(other, with: first)
        text.replaceSubrange(one, with: second)
    }

    private func insertHeader(into text: inout [UInt8], _ random: inout SeededGenerator) {
        // Any request of the script: the line after four hyphens begins one.
        let begins = [0] + text.ranges(of: Array("----\n".utf8)).map(\.upperBound)
        guard let begin = begins.randomElement(using: &random),
            let end = text[begin...].firstIndex(of: UInt8(ascii: "\n"))
        else { return }
        let words = Int.random(in: 0..<4, using: &random) == 0 ? Vocabulary.cookies : Vocabulary.headers
        let header = words.randomElement(using: &random) ?? ""
        text.insert(contentsOf: Array((header + "\n").utf8), at: end + 1)
    }

    private func replaceMethod(in text: inout [UInt8], _ random: inout SeededGenerator) {
        guard let end = text.firstIndex(of: UInt8(ascii: " ")) else { return }
        text.replaceSubrange(..<end, with: (Vocabulary.methods.randomElement(using: &random) ?? "").utf8)
    }

    private func wrapValue(in text: inout [UInt8], _ random: inout SeededGenerator) {
        guard let range = value(of: text, &random), range.count < 64 else { return }
        let count = [2, 3, 10, 100, 1000, 10_000].randomElement(using: &random) ?? 2
        text.replaceSubrange(range, with: Array("«times \(count) ".utf8) + text[range] + Array("»".utf8))
    }

    /// Replaces a value with one of another request.
    private func takeValue(into text: inout [UInt8], _ random: inout SeededGenerator) {
        guard let other = templates.randomElement(using: &random),
            let taken = Self.values(in: other).randomElement(using: &random), let range = value(of: text, &random)
        else { return }
        text.replaceSubrange(range, with: other[taken])
    }

    /// Appends another request.
    private func append(to text: inout [UInt8], _ random: inout SeededGenerator) {
        guard text.count < 2048, let other = templates.randomElement(using: &random) else { return }
        text += Array("\n----\n".utf8) + other
    }
}

// Positions of values and pieces.
extension Mutator {
    private static let valueEnds = Set("\n\r&=?/:;,{}[]\"# «»".utf8)
    private static let pieceEnds = Set("\n&;,?{}".utf8)

    /// Start of the query, or else of the body.
    static func start(of text: [UInt8]) -> Int? {
        let end = text.firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
        return text[..<end].firstIndex(of: UInt8(ascii: "?")) ?? text.firstRange(of: [10, 10])?.upperBound
    }

    /// Ranges without any separator of requests, forms, JSON or URLs.
    static func values(in text: [UInt8]) -> [Range<Int>] { runs(in: text, between: valueEnds) }

    /// Lines, fields and members.
    static func pieces(of text: [UInt8]) -> [Range<Int>] { runs(in: text, between: pieceEnds) }

    private static func runs(in text: [UInt8], between ends: Set<UInt8>) -> [Range<Int>] {
        var (found, start): ([Range<Int>], Int) = ([], 0)
        for index in text.indices where ends.contains(text[index]) {
            if index > start { found.append(start..<index) }
            start = index + 1
        }
        if start < text.count { found.append(start..<text.count) }
        return found
    }
}
