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
