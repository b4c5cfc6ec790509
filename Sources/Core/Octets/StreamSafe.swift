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
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}
