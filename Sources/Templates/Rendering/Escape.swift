import Core

/// Escaping of a value for its position.
enum Escape: Equatable, Sendable {
    /// None: markup from `SafeHTML`.
    case none
    /// `& < > " '` as character references, for text.
    case markup
    /// The escaping of `markup`, where no element is allowed: in quoted attribute values and in titles.
    case attribute
    /// The escaping of `markup`, in a heading: words with a hyphen are wrapped in an element that prevents line breaks.
    ///
    /// Balanced headings have short lines, and CSS has no other way to keep such words whole.
    case heading
    /// The beginning of a URL: `#blocked` unless the URL is relative or has a harmless scheme.
    case urlStart
    /// A component of a URL, percent-encoded (RFC 3986, 2.1).
    case urlComponent

    func write(_ text: String, into out: inout [UInt8]) {
        switch self {
        case .none: out.append(contentsOf: text.utf8)
        case .markup, .attribute: Self.writeMarkup(text, into: &out)
        case .heading: Self.writeHeading(text, into: &out)
        case .urlStart: Self.writeMarkup(Self.isHarmless(text) ? text : "#blocked", into: &out)
        case .urlComponent: Self.writeComponent(text, into: &out)
        }
    }

    /// Copies runs without special characters at once, because most values have nothing to escape.
    private static func writeMarkup(_ text: String, into out: inout [UInt8]) {
        let bytes = text.utf8Span.span
        var clean = 0
        for index in bytes.indices {
            guard let reference = reference(for: bytes[index]) else { continue }
            out.append(copying: bytes.extracting(clean..<index))
            reference.withUTF8Buffer { unsafe out.append(contentsOf: $0) }
            clean = index + 1
        }
        out.append(copying: bytes.extracting(clean..<bytes.count))
    }

    /// Maximum length of an unbroken word, in bytes: longer words have to break on a narrow screen.
    private static let longestWhole = 24

    private static func writeHeading(_ text: String, into out: inout [UInt8]) {
        var isFirst = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !isFirst { out.append(UInt8(ascii: " ")) }
            isFirst = false
            let isHyphenated = word.utf8.dropFirst().dropLast().contains(UInt8(ascii: "-"))
            guard isHyphenated, word.utf8.count <= longestWhole else {
                writeMarkup(String(word), into: &out)
                continue
            }
            out.append(contentsOf: #"<span class="whole">"#.utf8)
            writeMarkup(String(word), into: &out)
            out.append(contentsOf: "</span>".utf8)
        }
    }

    @inline(__always) private static func reference(for byte: UInt8) -> StaticString? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }

    /// Whether a URL is relative or begins with `http:`, `https:` or `mailto:`.
    ///
    /// Everything before the first colon must be exactly one of these, so blanks and control characters that a
    /// browser would drop make the check fail.
    private static func isHarmless(_ url: String) -> Bool {
        let end = url.utf8.firstIndex { ":/?#".utf8.contains($0) }
        guard let end, url.utf8[end] == UInt8(ascii: ":") else { return true }
        let scheme = url.utf8[..<end].map(\.lowercased)
        return scheme == Array("https".utf8) || scheme == Array("http".utf8) || scheme == Array("mailto".utf8)
    }

    private static func writeComponent(_ text: String, into out: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) {
                out.append(byte)
            } else {
                out.append(UInt8(ascii: "%"))
                out.append(digits[Int(byte >> 4)])
                out.append(digits[Int(byte & 0xF)])
            }
        }
    }

    /// Appends a number in decimal digits, which need no escaping at any position of a value.
    static func write(_ number: Int, into out: inout [UInt8]) {
        if number < 0 { out.append(UInt8(ascii: "-")) }
        let start = out.count
        var rest = number.magnitude
        repeat {
            out.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        out[start...].reverse()
    }
}

extension [UInt8] {
    /// Appends bytes in one copy, without the reference counting that an array slice needs.
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
