// Text from outside, looked at in octets. Work by `Character` costs the square of a text of flags or joined emoji, and
// may not even see an ASCII letter that a mark follows.

extension String {
    /// Whether both are the same octets.
    ///
    /// Swift's `==` is canonical equivalence, to which U+212A is a `K` and U+037E a semicolon; a protocol compares
    /// octets.
    public func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    /// The text with the capital letters of ASCII in lower case, and nothing else changed.
    public var lowercasedASCII: String {
        String(decoding: utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// As much of the beginning as `count` octets hold, cut between two code points.
    ///
    /// A limit in characters is none: one character may be of any length.
    public func cut(toOctets count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: count)
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }

    /// Without the code points that fit: a mark behind one hides it from `Character`.
    public func removing(_ isUnwanted: (Unicode.Scalar) -> Bool) -> String {
        var kept = UnicodeScalarView()
        for scalar in unicodeScalars where !isUnwanted(scalar) { kept.append(scalar) }
        return String(kept)
    }

    /// Without any white space, that of Unicode included.
    public var withoutWhiteSpace: String { removing(\.properties.isWhitespace) }

    /// Without NUL, which is in no name, and which PostgreSQL takes in no text.
    public var withoutNUL: String { removing { $0 == "\0" } }

    /// Without white space around it, that of Unicode included, which pasting brings along.
    public var trimmedWhiteSpace: String { self[...].trimmedWhiteSpace }

    /// The lines, each without the white space around it; empty ones are left out.
    ///
    /// Lines end at a line feed, a carriage return or both, as forms of browsers send them.
    ///
    /// - Parameter limit: how many are wanted; the text is not read on behind one more than these, by which a caller
    ///   sees that there are too many.
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
    /// Without white space around it, that of Unicode included.
    public var trimmedWhiteSpace: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(scalars[...last])
    }
}
