/// The text of one template as it was read.
struct Source: Sendable {
    /// Path below the template folder, without `.html`.
    let name: String
    let bytes: [UInt8]

    var file: String { name + ".html" }

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
