/// The text of one template, or of one file of texts, as it was read.
struct Source: Sendable {
    /// Path below its folder, without `.html` or `.txt`.
    let name: String
    let bytes: [UInt8]
    /// As diagnostics name it.
    let file: String

    init(name: String, bytes: [UInt8], file: String? = nil) {
        self.name = name
        self.bytes = bytes
        self.file = file ?? name + ".html"
    }

    /// Where a byte stands.
    ///
    /// Counted on demand: positions are needed for diagnostics alone.
    func location(at offset: Int) -> Location {
        var line = 1
        var column = 1
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return Location(file: file, line: line, column: column)
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}
