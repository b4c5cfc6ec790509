internal import Bytes

/// The textual encoding of keys (RFC 7468), read leniently because users paste it.
///
/// Also accepted: CRLF, a literal `\n` or `\r` as a line end (keys in environment variables), indented lines, lines of
/// any length or a single line, text around the block, no final line end.
public struct PEM: Sendable, Hashable {
    /// Maximum length of a text in bytes.
    public static let maximumCount = 16_384

    /// Label of the block, such as `PRIVATE KEY`.
    public let label: String
    /// Decoded contents of the block.
    public let der: [UInt8]

    init(label: String, der: [UInt8]) {
        self.label = label
        self.der = der
    }

    /// Reads the only block of `text`; `accept` may reject its label before the contents are decoded.
    init(_ text: String, accept: (String) throws(KeyFailure) -> Void) throws(KeyFailure) {
        guard text.utf8.count <= Self.maximumCount else { throw .tooLarge }
        let text = Self.lineEnds(text)[...]
        guard let begin = text.range(of: "-----BEGIN ") else { throw .notPEM }
        let afterBegin = text[begin.upperBound...]
        guard let dashes = afterBegin.range(of: "-----") else { throw .notPEM }
        let label = String(decoding: afterBegin[..<dashes.lowerBound], as: UTF8.self)
        guard Self.isLabel(label) else { throw .notPEM }
        try accept(label)

        let content = afterBegin[dashes.upperBound...]
        guard let end = content.range(of: "-----END \(label)-----") else { throw .incomplete }
        guard content[end.upperBound...].range(of: "-----BEGIN ") == nil else { throw .severalBlocks }
        guard let der = Base64.decode(content[..<end.lowerBound]), !der.isEmpty else { throw .incomplete }
        self.init(label: label, der: der)
    }

    /// The block with lines of 64 characters and a final line end.
    public var text: String {
        var lines = ["-----BEGIN \(label)-----"]
        var rest = Base64.encode(der).utf8[...]
        while !rest.isEmpty {
            lines.append(String(decoding: rest.prefix(64), as: UTF8.self))
            rest = rest.dropFirst(64)
        }
        lines.append("-----END \(label)-----\n")
        return lines.joined(separator: "\n")
    }

    /// Replaces `\n` and `\r`, each written as two characters, with line ends.
    private static func lineEnds(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            let ends = byte == UInt8(ascii: "n") || byte == UInt8(ascii: "r")
            if ends, bytes.last == UInt8(ascii: "\\") {
                bytes[bytes.count - 1] = UInt8(ascii: "\n")
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func isLabel(_ label: String) -> Bool {
        (1...32).contains(label.utf8.count)
            && label.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "):
                    true
                default: false
                }
            }
    }
}

extension ArraySlice<UInt8> {
    /// Range of the first occurrence of `text`.
    fileprivate func range(of text: String) -> Range<Int>? {
        let pattern = Array(text.utf8)
        guard count >= pattern.count else { return nil }
        for start in startIndex...(endIndex - pattern.count) where self[start] == pattern[0] {
            let range = start..<start + pattern.count
            if self[range].elementsEqual(pattern) { return range }
        }
        return nil
    }
}
