/// Base64 (RFC 4648 section 4) with padding; decoding ignores whitespace, as PEM requires.
public enum Base64 {
    private static let coding = Base64Alphabet("+/")

    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = bytes.withSpan { coding.encode($0) }
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// Decodes base64; nil for an invalid character, wrong padding, or non-canonical trailing bits.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var characters = text.filter { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        guard characters.count.isMultiple(of: 4) else { return nil }
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        return coding.decode(characters.span)
    }

    /// Decodes base64 in either alphabet, with padding or without.
    public static func decode(eitherAlphabet text: String) -> [UInt8]? {
        var characters = text.utf8.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        return Base64URL.decode(characters)
    }
}

/// URL-safe base64 (RFC 4648 section 5) without padding, as used in JOSE (RFC 7515 section 2).
public enum Base64URL {
    private static let coding = Base64Alphabet("-_")

    public static func encode(_ bytes: [UInt8]) -> String { coding.encode(bytes.span) }

    public static func encode(_ bytes: some Collection<UInt8>) -> String { bytes.withSpan { coding.encode($0) } }

    /// Decodes base64url; nil for padding, invalid characters, or non-canonical trailing bits, so that each value has
    /// exactly one encoding.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { text.withSpan { coding.decode($0) } }

    public static func decode(_ text: String) -> [UInt8]? { coding.decode(text.utf8.span) }
}

/// Encoder and decoder for one of the two base64 alphabets, at six bits per character.
private struct Base64Alphabet: Sendable {
    private static let invalid: UInt8 = 0xFF
    private let characters: [UInt8]
    private let values: [UInt8]

    init(_ lastTwo: String) {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        characters = Array(letters.utf8) + Array(lastTwo.utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
    }

    func encode(_ bytes: Span<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { buffer in
            var index = 0
            var bits: UInt32 = 0
            var count: UInt32 = 0
            for position in bytes.indices {
                bits = bits << 8 | UInt32(bytes[position])
                count += 8
                while count >= 6 {
                    count -= 6
                    unsafe buffer[index] = characters[Int(bits >> count & 63)]
                    index += 1
                }
            }
            if count > 0 {
                unsafe buffer[index] = characters[Int(bits << (6 - count) & 63)]
                index += 1
            }
            return index
        }
    }

    func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for position in text.indices {
            let value = values[Int(text[position])]
            guard value != Self.invalid else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bits & ((1 << count) - 1) == 0 ? bytes : nil
    }
}
