internal import Core

/// The textual encoding of keys (RFC 7468), read leniently because users paste it.
///
/// Also accepted: CRLF, a literal `\n` or `\r` as a line end (keys in environment variables), indented lines, lines of
/// any length or a single line, text around the block, no final line end, dashes and blanks of typography, base64 of the
/// whole file, and the contents alone.
public struct PEM: Sendable, Hashable {
    /// Maximum length of a text in bytes.
    public static let maximumCount = 16_384

    private static let start = "-----BEGIN "

    /// Label of the block, such as `PRIVATE KEY`.
    public let label: String
    /// Decoded contents of the block.
    public let der: [UInt8]

    init(label: String, der: [UInt8]) {
        self.label = label
        self.der = der
    }

    /// Reads the only block of `text`; `accept` may reject its label before the contents are decoded.
    ///
    /// - Parameter assumed: label of a text that is the contents alone, without the lines around them.
    init(_ text: String, assuming assumed: String, accept: (String) throws(KeyFailure) -> Void) throws(KeyFailure) {
        guard text.utf8.count <= Self.maximumCount else { throw .tooLarge }
        var text = Self.lineEnds(Self.retyped(text))[...]
        if text.range(of: Self.start) == nil, let content = Base64.decode(text) {
            if let label = Self.label(ofContents: content, assumed) {
                try accept(label)
                self.init(label: label, der: content)
                return
            }
            text = content[...]
        }
        guard let begin = text.range(of: Self.start) else { throw .notPEM }
        let afterBegin = text[begin.upperBound...]
        guard let dashes = afterBegin.range(of: "-----") else { throw .notPEM }
        let label = String(decoding: afterBegin[..<dashes.lowerBound], as: UTF8.self)
        guard Self.isLabel(label) else { throw .notPEM }
        try accept(label)

        let content = afterBegin[dashes.upperBound...]
        guard let end = content.range(of: "-----END \(label)-----") else { throw .incomplete }
        guard content[end.upperBound...].range(of: Self.start) == nil else { throw .severalBlocks }
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

    /// The octets of a text, with what editors, chats and web pages make of a key undone: other dashes and blanks than
    /// those of ASCII, two or three hyphens joined to a dash, and invisible characters.
    private static func retyped(_ text: String) -> [UInt8] {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        var dashes: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars where scalar.properties.generalCategory != .format {
            if scalar.properties.generalCategory == .dashPunctuation || scalar == "\u{2212}" {
                dashes.append(scalar)
                continue
            }
            bytes += hyphens(dashes)
            dashes = []
            bytes += scalar.isASCII || !scalar.properties.isWhitespace ? Array(String(scalar).utf8) : [0x20]
        }
        return bytes + hyphens(dashes)
    }

    /// A run of dashes as it was: of hyphens alone the same, of others the five of a block's first and last line.
    private static func hyphens(_ dashes: [Unicode.Scalar]) -> [UInt8] {
        [UInt8](repeating: UInt8(ascii: "-"), count: dashes.allSatisfy(\.isASCII) ? dashes.count : 5)
    }

    /// The label of contents that came without one; nil if they are no DER sequence (X.690 section 8.9) of a key's size.
    private static func label(ofContents octets: [UInt8], _ assumed: String) -> String? {
        guard octets.first == 0x30, octets.count >= 32 else { return nil }
        // A version 1 before an octet string begins a private key outside of PKCS#8 (RFC 5915 section 3).
        return octets.dropFirst(2).starts(with: [0x02, 0x01, 0x01, 0x04]) ? "EC PRIVATE KEY" : assumed
    }

    /// Replaces `\n` and `\r`, each written as two characters, with line ends.
    private static func lineEnds(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for byte in text {
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
            && label.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: " ")
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
