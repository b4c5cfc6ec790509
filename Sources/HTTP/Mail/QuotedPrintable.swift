/// Quoted-printable encoding: text in any language as ASCII lines of at most 76 characters (RFC 2045 section 6.7).
enum QuotedPrintable {
    private static let lineLimit = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes text; line ends of every kind become CRLF.
    static func encode(_ text: String) -> String {
        var out: [UInt8] = []
        let normal = text.replacing("\r\n", with: "\n")
        let lines = normal.utf8.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }
        for (index, line) in lines.enumerated() {
            if index > 0 { out += Array("\r\n".utf8) }
            append(Array(line), to: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func append(_ line: [UInt8], to out: inout [UInt8]) {
        var length = 0
        for (index, byte) in line.enumerated() {
            let isLast = index == line.count - 1
            let piece = encoded(byte, isLast: isLast)
            // Room for the soft line break, which the end of a line does not need.
            if length + piece.count > lineLimit - (isLast ? 0 : 1) {
                out += Array("=\r\n".utf8)
                length = 0
            }
            out += piece
            length += piece.count
        }
    }

    /// Encodes an octet; whitespace at the end of a line is escaped, because it may be lost in transport.
    private static func encoded(_ byte: UInt8, isLast: Bool) -> [UInt8] {
        let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
        if isPlain || (byte == 0x20 || byte == 0x09) && !isLast { return [byte] }
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
