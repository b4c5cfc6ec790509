internal import Core

/// The target of a request line, checked before any code interprets it.
///
/// Proxies and applications disagree about matrix parameters, encoded slashes and dot segments, so a rule made for one
/// reading can be bypassed with another. No path of Pippin needs them, so they are rejected in every form. Only the
/// origin form is accepted (RFC 9112 section 3.2.1), because this server is not a proxy.
struct Target: Sendable {
    /// The target as received.
    let bytes: [UInt8]
    /// The length of the path; a question mark or the end follows it.
    let pathEnd: Int

    /// Checks a target; nil when the request must be answered with 400.
    init?(_ bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= Int(UInt16.max) else { return nil }
        guard let pathEnd = Self.checkedPathEnd(bytes.span) else { return nil }
        guard Self.isQuery(bytes.span, from: pathEnd) else { return nil }
        self.bytes = bytes
        self.pathEnd = pathEnd
    }

    var path: ArraySlice<UInt8> { bytes[..<pathEnd] }

    /// The octets after the question mark.
    var query: ArraySlice<UInt8> { pathEnd < bytes.count ? bytes[(pathEnd + 1)...] : [] }

    private static func checkedPathEnd(_ bytes: Span<UInt8>) -> Int? {
        var previous: UInt8 = 0
        var index = 0
        while index < bytes.count {
            var byte = bytes[index]
            if byte == UInt8(ascii: "?") { return index }
            guard byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#") && !isRefused(byte) else { return nil }
            if byte == UInt8(ascii: "%") {
                guard let escaped = escape(bytes, at: index), !isRefused(escaped) else { return nil }
                guard escaped != UInt8(ascii: "/") else { return nil }
                byte = escaped
                index += 2
            }
            let isDoubled = byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
            guard !(isDoubled && byte == previous) else { return nil }
            previous = byte
            index += 1
        }
        return index
    }

    /// Whether an octet is rejected in a path, both plain and escaped.
    private static func isRefused(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\\")
    }

    private static func isQuery(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            guard byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#") else { return false }
            if byte == UInt8(ascii: "%") {
                guard let escaped = escape(bytes, at: index), escaped != 0 else { return false }
                index += 2
            }
            index += 1
        }
        return true
    }

    private static func escape(_ bytes: Span<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < bytes.count else { return nil }
        guard let high = Hex.value(of: bytes[index + 1]), let low = Hex.value(of: bytes[index + 2]) else { return nil }
        return high << 4 | low
    }
}
