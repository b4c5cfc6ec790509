import Platform

/// An identifier as lowercase letters, for comparison by edit distance.
struct Spelling {
    /// Largest edit distance at which a typing error is assumed.
    static let nearby = 2
    /// Most letters compared in one search: those of two hundred clients with the longest identifiers.
    static let mostWork = 200 * ClientID.maximumLength

    private let letters: [UInt8]

    init(_ text: String) { letters = text.utf8.map(Self.letter) }

    /// The edit distance: letters inserted, deleted or replaced; 3 stands for more than two.
    ///
    /// - Parameter work: reduced by the number of letters compared; the comparison stops once the distance exceeds two.
    func distance(to text: String, _ work: inout Int) -> Int {
        let other = text.utf8
        guard (letters.count - other.count).magnitude <= Self.nearby else { return Self.nearby + 1 }
        return distance(to: other.map(Self.letter), &work)
    }

    /// The table of the Wagner–Fischer algorithm, limited to the five columns around the diagonal, the only ones within
    /// a distance of two.
    private func distance(to other: [UInt8], _ work: inout Int) -> Int {
        let far = Self.nearby + 1
        // Index `offset` of row `index` is column `index + offset - 2`.
        var row: InlineArray<5, Int> = [far, far, 0, 1, 2]
        for (index, letter) in letters.enumerated() {
            work -= 1
            var next = InlineArray<5, Int>(repeating: far)
            var best = far
            for offset in 0..<5 {
                let column = index + 1 + offset - 2
                guard column >= 0, column <= other.count else { continue }
                var cost = far
                if column > 0 { cost = min(cost, row[offset] + (letter == other[column - 1] ? 0 : 1)) }
                if offset < 4 { cost = min(cost, row[offset + 1] + 1) }
                if offset > 0 { cost = min(cost, next[offset - 1] + 1) }
                next[offset] = cost
                best = min(best, cost)
            }
            guard best < far else { return far }
            row = next
        }
        return row[other.count - letters.count + 2]
    }

    /// Lowercases an ASCII letter; every other octet is unchanged.
    private static func letter(_ octet: UInt8) -> UInt8 { octet &- UInt8(ascii: "A") < 26 ? octet | 0x20 : octet }
}
