extension [UInt8] {
    /// Appends the UTF-8 octets of `text`.
    public mutating func append(_ text: String) { append(contentsOf: text.utf8) }

    /// Appends the octets of a literal without creating a `String`.
    public mutating func append(_ literal: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends `value` in decimal digits.
    public mutating func append(decimal value: Int) {
        if value >= 0 && value < 10 { append(UInt8(ascii: "0") + UInt8(value)) } else { append(String(value)) }
    }
}

extension String {
    /// Decodes UTF-8; nil if `octets` are not valid UTF-8.
    ///
    /// `String(validating:as:)` of the standard library takes any encoding and looks up its types for each text.
    public init?(validUTF8 octets: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: octets) else { return nil }
        self.init(copying: text)
    }

    /// Decodes UTF-8; nil if `bytes` is not valid UTF-8 or not stream-safe, because invalid input is rejected, never
    /// repaired.
    public init?(utf8 bytes: [UInt8]) { self.init(utf8: bytes[...]) }

    public init?(utf8 bytes: ArraySlice<UInt8>) {
        // Fast path: ASCII, which is nearly all input, is always valid and stream-safe.
        if bytes.isASCII {
            self.init(decoding: bytes, as: UTF8.self)
        } else {
            guard let text = String(validUTF8: bytes.span), text.isStreamSafe else { return nil }
            self = text
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var isASCII: Bool {
        let octets = span
        for index in octets.indices where octets[index] >= 0x80 { return false }
        return true
    }
}
