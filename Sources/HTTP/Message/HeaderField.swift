internal import Core

/// A header field of a response.
///
/// A value with a control character is never sent: the server responds with 500 instead, so that untrusted text cannot
/// start a second field.
public struct HeaderField: Equatable, Sendable {
    public let name: HeaderName
    public let value: String

    public init(_ name: HeaderName, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the value may stand in a field line (RFC 9110 section 5.5).
    var isSendable: Bool { value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}

extension String {
    /// Decodes the value of a header field, which may be any octets (RFC 9110 section 5.5).
    ///
    /// In a value that is not stream-safe text, every octet beyond ASCII becomes a question mark, so that no later
    /// operation on it costs more than its length.
    init(fieldValue octets: some Collection<UInt8>) {
        let text = String(decoding: octets, as: UTF8.self)
        self =
            text.isStreamSafe
            ? text : String(decoding: octets.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

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
