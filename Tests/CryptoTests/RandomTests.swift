import Crypto
import Synchronization
import Testing

@Suite struct `Random source` {
    /// Counts 0, 1, 2 … 255, 0 … across calls.
    private static func counting() -> RandomSource {
        let next = Counter()
        return RandomSource { count in (0..<count).map { _ in next.next() } }
    }

    @Test func `gives as many bytes as asked, and others each time`() {
        let first = RandomSource.system.bytes(32)
        let second = RandomSource.system.bytes(32)

        #expect(first.count == 32)
        #expect(first != second)
        #expect(RandomSource.system.bytes(0).isEmpty)
    }

    @Test func `counts in tests`() {
        let random = Self.counting()

        #expect(random.bytes(3) == [0, 1, 2])
        #expect(random.text(10, from: .identifier) == "DEFGHIJKLM")
    }

    @Test func `drops the bytes that would favour the first characters`() {
        let random = Self.counting()
        _ = random.bytes(250)

        // 252 = 7 × 36 is the first byte value without a place; 251 stands for the last character.
        #expect(random.text(4, from: .identifier) == "89AB")
    }

    @Test func `makes every character about equally often`() {
        var counts: [Character: Int] = [:]
        for character in RandomSource.system.text(36_000, from: .identifier) { counts[character, default: 0] += 1 }

        #expect(counts.count == 36)
        // 1,000 expected with a deviation of 31; a bias by modulo would show as 1,125.
        #expect(counts.values.allSatisfy { (800...1200).contains($0) })
    }
}

/// Threads may share a source, so its state is guarded.
private final class Counter: Sendable {
    private let value = Mutex<UInt8>(0)

    func next() -> UInt8 {
        value.withLock { value in
            defer { value &+= 1 }
            return value
        }
    }
}
