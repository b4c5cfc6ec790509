// Bytes: encodings between octets, text and values.
//
// Owns: hexadecimal, base64 and base64url (RFC 4648), percent coding (RFC 3986), form coding (WHATWG URL),
// JSON (RFC 8259), timestamps (RFC 3339), languages (BCP 47), phrases that have no words yet, and what text and
// numbers from outside have to be before anything is done with them.
// Must not know: sockets, HTTP, PostgreSQL, anything of Pippin.
// FoundationEssentials is imported here and nowhere else.

extension [UInt8] {
    /// Appends the UTF-8 octets of `text`.
    public mutating func append(_ text: String) {
        append(contentsOf: text.utf8)
    }

    /// Appends the octets of a literal without making a `String` of it.
    public mutating func append(_ literal: StaticString) {
        unsafe append(
            contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        )
    }

    /// Appends `value` in decimal digits.
    public mutating func append(decimal value: Int) {
        if value >= 0 && value < 10 {
            append(UInt8(ascii: "0") + UInt8(value))
        } else {
            append(String(value))
        }
    }
}

extension String {
    /// The text these octets spell, or nil when they are not valid UTF-8 or not stream-safe: input is refused, never
    /// repaired.
    public init?(utf8 bytes: [UInt8]) {
        self.init(utf8: bytes[...])
    }

    public init?(utf8 bytes: ArraySlice<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self), text.isStreamSafe else { return nil }
        self = text
    }
}
