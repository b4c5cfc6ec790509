/// Damaged input that is the same in every run.
public struct Garbage: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// SplitMix64.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Noise, or `sample` with bytes changed, dropped, doubled or cut off.
    public mutating func bytes(like sample: [UInt8]) -> [UInt8] {
        let kind = Int.random(in: 0..<5, using: &self)
        guard kind > 0, !sample.isEmpty else {
            return (0..<Int.random(in: 0..<200, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
        }
        var bytes = sample
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &self)
            switch kind {
            case 1: bytes[index] = UInt8.random(in: 0...255, using: &self)
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }

    /// The same for text; what is not UTF-8 is repaired.
    public mutating func text(like sample: String) -> String {
        String(decoding: bytes(like: Array(sample.utf8)), as: UTF8.self)
    }
}
