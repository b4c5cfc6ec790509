import Crypto
import Synchronization

/// Bytes that look random, differ from call to call, and are the same in every run.
final class TestRandomness: Sendable {
    private let count: Atomic<Int>

    /// - Parameter calls: how many calls there were before.
    init(after calls: Int = 0) { count = Atomic(calls) }

    var calls: Int { count.load(ordering: .relaxed) }

    var source: RandomSource {
        RandomSource { [self] count in
            var bytes: [UInt8] = []
            while bytes.count < count { bytes += SHA256.hash("call \(next())") }
            return Array(bytes.prefix(count))
        }
    }

    private func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
