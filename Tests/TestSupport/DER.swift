extension Array where Element == UInt8 {
    /// A raw ECDSA signature, r and s of 32 octets each, as most libraries write it (RFC 3279 section 2.2.3).
    public var ecdsaInDER: [UInt8] {
        let numbers = [prefix(32), suffix(32)].flatMap { number in
            var digits = Array(number.drop { $0 == 0 })
            if digits.isEmpty || digits[0] >= 0x80 { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
