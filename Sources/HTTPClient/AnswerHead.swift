/// The head of a peer's answer as it comes, line by line.
///
/// Everything in it is the peer's to choose, so nothing asks what characters its octets make: that costs more than their
/// number on text that is made for it. Names and values are kept in ASCII.
struct AnswerHead {
    /// Octets of a line that are taken.
    private static let lineLimit = 8 * 1024
    /// Octets of a head that are taken, and of all that a mail server says.
    private static let limit = 16 * 1024
    /// Heads of one answer: its own, and those of redirects and of preliminary answers before it.
    private static let headLimit = 32

    /// Of the last head, in the order they came.
    private(set) var fields: [(name: String, value: String)] = []
    private var size = 0
    private var heads = 0

    /// Takes a line, unless that is too much; a status line begins a new head, after 100 or a redirect.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        if unsafe line.starts(with: "HTTP/".utf8) {
            (fields, size) = ([], 0)
            heads += 1
        }
        size += line.count
        guard line.count <= Self.lineLimit, size <= Self.limit, heads <= Self.headLimit else { return false }
        guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            unsafe line[..<colon].allSatisfy(Self.isToken)
        else { return true }
        let name = unsafe Self.text(line[..<colon])
        fields.append((name, unsafe Self.text(line[(colon + 1)...])))
        return true
    }

    /// Text without the blanks and the line end around it; octets beyond ASCII become question marks.
    static func text(_ octets: some BidirectionalCollection<UInt8>) -> String {
        let end = octets.lastIndex { !isBlank($0) }
        guard let end, let start = octets.firstIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: octets[start...end].map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Whether two names of fields are one (RFC 9110 section 5.1).
    static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && left.utf8.elementsEqual(right.utf8) { lowercase($0) == lowercase($1) }
    }

    /// A character of a token (RFC 9110 section 5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}
