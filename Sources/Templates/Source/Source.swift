/// The text of one template, or of one file of texts, as it was read.
struct Source: Sendable {
    /// Path below its folder, without `.html` or `.txt`.
    let name: String
    let bytes: [UInt8]
    /// As diagnostics name it.
    let file: String
    /// Where each line begins.
    private let lines: [Int]

    init(name: String, bytes: [UInt8], file: String? = nil) {
        self.name = name
        self.bytes = bytes
        self.file = file ?? name + ".html"
        lines = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    /// Where a byte stands: its line, and its character of the line as UTF-8 counts them.
    func location(at offset: Int) -> Location {
        let line = lines.partitioningIndex { $0 > offset }
        let before = bytes[lines[line - 1]..<min(offset, bytes.count)]
        let column = before.count { $0 & 0xC0 != 0x80 } + 1
        return Location(file: file, line: line, column: column)
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}

extension [Int] {
    /// How many of the first elements fall short of `isBeyond`; the elements are in order.
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
