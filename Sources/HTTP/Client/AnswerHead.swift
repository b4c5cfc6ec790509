/// The head of a server's response, parsed line by line as it arrives.
///
/// The server controls all of it, so nothing processes it by Unicode characters, which on crafted text costs more than
/// the number of octets. Names and values are kept in ASCII.
struct AnswerHead {
    /// Maximum length of a line in octets.
    private static let lineLimit = 8 * 1024
    /// Maximum octets of all lines of a response: its own head, those of redirects and 1xx responses before it, and the
    /// trailer section; for a mail server, all its replies.
    private static let limit = 24 * 1024
    /// Maximum number of those lines: libcurl keeps each, in more memory than it has octets.
    private static let lines = 512

    /// Fields of the last head, in the order received.
    private(set) var fields: [(name: String, value: String)] = []
    private var size = 0
    private var count = 0

    /// Takes a line; false when it exceeds a limit or names a transfer coding other than chunked, which was not
    /// requested (RFC 9112 section 6.1).
    ///
    /// A status line begins a new head, after a 100 or a redirect.
    ///
    /// - Parameter isTrailer: whether the line follows the body; such a line is counted and otherwise ignored.
    mutating func take(_ line: UnsafeRawBufferPointer, isTrailer: Bool = false) -> Bool {
        size += line.count
        count += 1
        guard line.count <= Self.lineLimit, size <= Self.limit, count <= Self.lines else { return false }
        guard !isTrailer else { return true }
        if unsafe line.starts(with: "HTTP/".utf8) { fields = [] }
        guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            unsafe line[..<colon].allSatisfy(Self.isToken)
        else { return true }
        let name = unsafe Self.text(line[..<colon])
        let value = unsafe Self.text(line[(colon + 1)...])
        guard !Self.isSame(name, "Transfer-Encoding") || Self.isSame(value, "chunked") else { return false }
        fields.append((name, value))
        return true
    }

    /// Text without the whitespace and line end around it; octets beyond ASCII become question marks.
    static func text(_ octets: some BidirectionalCollection<UInt8>) -> String {
        let end = octets.lastIndex { !isBlank($0) }
        guard let end, let start = octets.firstIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: octets[start...end].map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Whether two field names are equal, without regard to case (RFC 9110 section 5.1).
    static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8) { lowercase($0) == lowercase($1) }
    }

    /// Whether an octet may stand in a token (RFC 9110 section 5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }
}
