/// Base32 (RFC 4648 section 6), the encoding in which users type secrets into authenticator apps.
public enum Base32 {
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Encodes `bytes` in uppercase without padding, as authenticator apps expect.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(characters[Int(bits >> count & 31)])
            }
        }
        if count > 0 { text.append(characters[Int(bits << (5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes base32; nil for an invalid character, an impossible length, or non-canonical trailing bits.
    ///
    /// Accepts lowercase letters, spaces, and trailing padding, because users copy this text by hand.
    public static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        var length = 0
        for character in text.utf8.filter({ $0 != UInt8(ascii: " ") }).trimmingPadding {
            guard let value = value(of: character) else { return nil }
            bits = bits << 5 | value
            count += 5
            length += 1
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        guard ![1, 3, 6].contains(length % 8), bits & ((1 << count) - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}

extension [UInt8] {
    /// The bytes without trailing `=`, of which at most six are removed.
    fileprivate var trimmingPadding: ArraySlice<UInt8> {
        var rest = self[...]
        for _ in 0..<6 where rest.last == UInt8(ascii: "=") { rest.removeLast() }
        return rest
    }
}
