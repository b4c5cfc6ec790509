/// Percent-encoding (RFC 3986 section 2.1).
public enum PercentCoding {
    /// Decodes `%XX`; nil if an escape is truncated or not hexadecimal.
    @inlinable public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        text.withSpan { decode($0, plus: UInt8(ascii: "+")) }
    }

    /// Decodes `%XX`, and `+` as `plus`, because forms encode a space as `+`.
    @usableFromInline static func decode(_ text: Span<UInt8>, plus: UInt8) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "%"):
                guard let byte = escapedByte(in: text, at: index + 1) else { return nil }
                bytes.append(byte)
                index += 3
            case UInt8(ascii: "+"):
                bytes.append(plus)
                index += 1
            case let character:
                bytes.append(character)
                index += 1
            }
        }
        return bytes
    }

    /// Escapes all but the unreserved characters, so that the result is safe as any single URL component.
    public static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the escaped octets of `text` to `bytes`.
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        let text = text.utf8.span
        for position in text.indices {
            let character = text[position]
            if isUnreserved(character) {
                bytes.append(character)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(upperDigit(character >> 4))
                bytes.append(upperDigit(character & 15))
            }
        }
    }

    /// Whether the character is unreserved (RFC 3986 section 2.3).
    public static func isUnreserved(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func upperDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func escapedByte(in text: Span<UInt8>, at index: Int) -> UInt8? {
        guard index + 1 < text.count, let high = Hex.value(of: text[index]), let low = Hex.value(of: text[index + 1])
        else { return nil }
        return high << 4 | low
    }
}
