extension Array where Element == UInt8 {
    /// What differs from these octets as little as can be: by one bit or by one octet more or less, or is cut off anywhere.
    ///
    /// - Parameter bits: how many bits of each octet are turned, the same in every run; of the first and the last all are.
    public func spoilt(bits: Int = 8) -> [[UInt8]] {
        var choice = Garbage(seed: 30)
        var variants = [[0] + self, self + [0]]
        for index in indices {
            let isEnd = index == startIndex || index == endIndex - 1
            for bit in (0..<8).shuffled(using: &choice).prefix(isEnd ? 8 : bits) {
                var changed = self
                changed[index] ^= 1 << UInt8(bit)
                variants.append(changed)
            }
            variants += [Array(self[..<index]), Array(self[(index + 1)...]), Array(self[...index] + self[index...])]
        }
        return variants
    }
}
