/// Content of one template or one text file.
struct Source: Sendable {
    /// Path below its folder, without `.html` or `.txt`.
    let name: String
    let bytes: [UInt8]
    /// Path of the file in diagnostics.
    let file: String
    /// Offset of the start of each line.
    private let lines: [Int]

    init(name: String, bytes: [UInt8], file: String? = nil) {
        self.name = name
        self.bytes = bytes
        self.file = file ?? name + ".html"
        lines = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// Returns the line and column of a byte offset; columns count Unicode scalars.
    func location(at offset: Int) -> Location {
        let line = lines.partitioningIndex { $0 > offset }
        let before = bytes[lines[line - 1]..<min(offset, bytes.count)]
        let column = before.count { $0 & 0xC0 != 0x80 } + 1
        return Location(file: file, line: line, column: column)
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension [Int] {
    /// Number of leading elements for which `isBeyond` is false; the elements must be sorted.
    fileprivate func partitioningIndex(where isBeyond: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension UInt8 {
    /// Space, tab, line feed, form feed, carriage return: ASCII whitespace of the HTML Standard.
    var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0C || self == 0x0D }

    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// The letter in lower case, anything else unchanged.
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
