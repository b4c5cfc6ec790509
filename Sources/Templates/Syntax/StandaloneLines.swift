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
