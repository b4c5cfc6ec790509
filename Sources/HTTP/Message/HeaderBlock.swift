/// The header fields of a request, copied into one buffer.
struct HeaderBlock: Sendable {
    private struct Line {
        let start: Int
        let nameEnd: Int
        let end: Int
    }

    private var bytes: [UInt8] = []
    private var lines: [Line] = []

    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        let start = bytes.count
        unsafe bytes.append(contentsOf: name)
        let nameEnd = bytes.count
        // libmicrohttpd does not remove whitespace after a value.
        unsafe bytes.append(contentsOf: ASCII.trim(value))
        lines.append(Line(start: start, nameEnd: nameEnd, end: bytes.count))
    }

    /// The values of all fields of that name, in the order received.
    func values(of name: HeaderName) -> [String] {
        lines.compactMap { line in
            let wireName = bytes.span.extracting(line.start..<line.nameEnd)
            return name.matches(wireName) ? text(line.nameEnd..<line.end) : nil
        }
    }

    var all: [(name: String, value: String)] { lines.map { (text($0.start..<$0.nameEnd), text($0.nameEnd..<$0.end)) } }

    private func text(_ range: Range<Int>) -> String { String(fieldValue: bytes[range]) }
}
