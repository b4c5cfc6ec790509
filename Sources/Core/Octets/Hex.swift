/// Base16 (RFC 4648); encodes in lowercase, decodes either case.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

    @inlinable public static func encode(_ bytes: some Collection<UInt8>) -> String { bytes.withSpan { encode($0) } }

    @usableFromInline static func encode(_ bytes: Span<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for position in bytes.indices {
                unsafe buffer[2 * position] = digits[Int(bytes[position] >> 4)]
                unsafe buffer[2 * position + 1] = digits[Int(bytes[position] & 15)]
            }
            return bytes.count * 2
        }
    }

    /// Decodes hexadecimal digits; nil if the length is odd or a character is not a hexadecimal digit.
    public static func decode(_ text: String) -> [UInt8]? {
        let count = text.utf8.count
        guard count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let digit = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    /// Value of a hexadecimal digit, or nil for any other character.
    public static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
