public import Crypto
import Synchronization

extension RandomSource {
    /// Bytes that look random, differ from call to call, and are the same in every run.
    public static func repeatable() -> RandomSource {
        let calls = Counter()
        return RandomSource { count in
            var bytes: [UInt8] = []
            while bytes.count < count { bytes += SHA256.hash("call \(calls.next())") }
            return Array(bytes.prefix(count))
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        func next() -> Int { value.add(1, ordering: .relaxed).newValue }
    }
}
