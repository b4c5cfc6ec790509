extension String {
    /// Marks in a row that no writing system needs (Unicode UAX #15, Stream-Safe Text Format).
    private static let longestRunOfMarks = 30

    /// Whether nowhere more than 30 combining marks follow each other.
    ///
    /// Comparing, hashing and normalising put the marks of a run in order one by one, at the square of its length.
    /// Text from outside is refused where it is decoded unless it is stream-safe, which ends that class of cost at
    /// the door. The longest run in living use, in Tibetan and in Biblical Hebrew, is below ten.
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
    /// Whether a canonical ordering moves it, or what it decomposes to.
    fileprivate var isMark: Bool {
        switch value {
        case 0..<0x300: false
        // Of class zero themselves, made of two marks each.
        case 0xF73, 0xF75, 0xF81: true
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}
