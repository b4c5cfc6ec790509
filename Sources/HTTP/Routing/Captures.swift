/// Ranges of a matched path's values in its target, kept without copies or allocation.
struct Captures: Sendable {
    static let capacity = 8

    private var bounds = InlineArray<8, UInt32>(repeating: 0)
    private(set) var count = 0

    /// Appends a range; offsets fit 16 bits because `Target` accepts no more than 65,535 octets.
    mutating func append(_ range: Range<Int>) {
        guard count < Self.capacity else { return }
        bounds[count] = UInt32(truncatingIfNeeded: range.lowerBound << 16 | range.upperBound)
        count += 1
    }

    mutating func removeLast() { count -= 1 }

    subscript(_ index: Int) -> Range<Int> {
        let bound = bounds[index]
        return Int(bound >> 16)..<Int(bound & 0xFFFF)
    }
}
