/// The identifier of a request, in logs and on error pages.
///
/// Unique within a process and spread over 64 bits; it is not a secret and authorizes nothing.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }

    /// Sixteen hexadecimal digits.
    public var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Generator of request identifiers, from a random start.
struct RequestNumbering {
    private var state: UInt64

    init(start: UInt64) { state = start }

    /// The next step of SplitMix64: a permutation of 64 bits, so no identifier repeats before all were used.
    mutating func next() -> RequestID {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return RequestID(mixed ^ mixed >> 31)
    }
}
