// Operations on untrusted text by octets. Operations by `Character` take quadratic time for a text of flags or joined
// emoji, and can miss an ASCII letter that is followed by a combining mark.

extension String {
    /// Whether both texts have the same UTF-8 octets.
    ///
    /// Swift's `==` tests canonical equivalence, by which U+212A equals `K` and U+037E equals a semicolon; protocols
    /// compare octets.
    public func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// The text with the uppercase ASCII letters in lowercase and everything else unchanged.
    public var lowercasedASCII: String {
        String(decoding: utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The longest prefix of at most `count` octets that ends between two code points.
    ///
    /// The limit is in octets because a single `Character` can be of any length.
    public func cut(toOctets count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: count)
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }

    /// The text without the scalars that match; a combining mark after a scalar would hide it from `Character`.
    public func removing(_ isUnwanted: (Unicode.Scalar) -> Bool) -> String {
        var kept = UnicodeScalarView()
        for scalar in unicodeScalars where !isUnwanted(scalar) { kept.append(scalar) }
        return String(kept)
    }

    /// The text without whitespace, including Unicode whitespace.
    public var withoutWhiteSpace: String { removing(\.properties.isWhitespace) }

    /// The text without NUL, which no name contains and which PostgreSQL cannot store in text.
    public var withoutNUL: String { removing { $0 == "\0" } }

    /// The text without leading and trailing whitespace, including Unicode whitespace, which pasting often adds.
    public var trimmedWhiteSpace: String { self[...].trimmedWhiteSpace }

    /// The nonempty lines, each without leading and trailing whitespace.
    ///
    /// A line ends at a line feed, a carriage return, or both, as browsers send them in forms.
    ///
    /// - Parameter limit: expected maximum number of lines; reading stops one line beyond it, so that a caller can
    ///   detect that there are too many.
    public func trimmedLines(limit: Int) -> [String] {
        var lines: [String] = []
        var rest = utf8[...]
        while !rest.isEmpty, lines.count <= limit {
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
            let line = Substring(rest[..<end]).trimmedWhiteSpace
            if !line.isEmpty { lines.append(line) }
            rest = rest[end...].dropFirst()
        }
        return lines
    }
}

extension Substring {
    /// The text without leading and trailing whitespace, including Unicode whitespace.
    public var trimmedWhiteSpace: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(scalars[...last])
    }
}

extension UInt8 {
    /// Whether the octet is an ASCII digit.
    public var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// Whether the octet is an ASCII letter, in either case.
    public var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
}

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

extension Sequence<UInt8> {
    /// Calls `body` with the octets as one contiguous span; copies them only if they are not stored contiguously.
    ///
    /// The encoders work on spans because generic code is not specialized for callers in other modules: it would make
    /// a witness call for every octet and take twenty times as long. What takes any sequence is inlinable, therefore.
    @inlinable func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        let outcome = withContiguousStorageIfAvailable { buffer in
            Swift.Result { () throws(Failure) in try body(unsafe buffer.span) }
        }
        if let outcome { return try outcome.get() }
        return try body(Array(self).span)
    }
}

extension String {
    /// Maximum run of combining marks, more than any writing system needs (Unicode UAX #15, Stream-Safe Text Format).
    private static let longestRunOfMarks = 30

    /// Whether no more than 30 combining marks follow each other anywhere in the text.
    ///
    /// Comparing, hashing, and normalizing sort the marks of a run in time quadratic in its length. Decoders therefore
    /// reject untrusted text that is not stream-safe. The longest run in actual use, in Tibetan and in Biblical Hebrew,
    /// is below ten.
    public var isStreamSafe: Bool {
        let octets = utf8.span
        for index in octets.indices where octets[index] >= 0x80 { return hasShortRuns }
        return true
    }

    private var hasShortRuns: Bool {
        var run = 0
        for scalar in unicodeScalars {
            guard scalar.isMark else {
                run = 0
                continue
            }
            run += 1
            if run > Self.longestRunOfMarks { return false }
        }
        return true
    }
}

extension Unicode.Scalar {
    /// Whether canonical ordering can move this scalar or a scalar that it decomposes to.
    fileprivate var isMark: Bool {
        switch value {
        case 0..<0x300: false
        // Their own combining class is zero, but each decomposes into two marks.
        case 0xF73, 0xF75, 0xF81: true
        // Of the same class, and marks in the compatibility form: the halfwidth voiced sound marks.
        case 0xFF9E, 0xFF9F: true
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}

extension String {
    /// The text in Unicode normalization form C (Unicode Standard Annex 15).
    ///
    /// To compare spellings compare octets: `==` compares strings by canonical equivalence.
    public var normalizedC: String { String(decoding: _nfcCodeUnits, as: UTF8.self) }
}
