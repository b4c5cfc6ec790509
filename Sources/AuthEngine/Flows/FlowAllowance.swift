import Domain
import EventLoop

/// How many flows of each team are stored that anybody on the network can cause: so many at once, and so many a
/// day, that nobody fills the disk.
///
/// What is beyond it is counted all the same.
struct FlowAllowance {
    private let burst: Double
    private let perSecond: Double
    private var buckets: [TeamID: Bucket] = [:]

    private static let capacity = 20_000

    private struct Bucket {
        var level: Double
        var filledAt: Int64
    }

    init(burst: Int, perDay: Int) {
        self.burst = Double(burst)
        perSecond = Double(perDay) / 86_400
    }

    /// Takes one; false when there is none left.
    mutating func take(for team: TeamID, at now: Int64 = MonotonicTime.now()) -> Bool {
        // A server with more teams than this under way forgets what they had left, which errs to their favour.
        if buckets.count >= Self.capacity { buckets = [:] }
        var bucket = buckets[team] ?? Bucket(level: burst, filledAt: now)
        let seconds = Double(max(0, now - bucket.filledAt)) / 1_000_000_000
        bucket.level = min(burst, bucket.level + seconds * perSecond)
        bucket.filledAt = now
        let isThere = bucket.level >= 1
        if isThere { bucket.level -= 1 }
        buckets[team] = bucket
        return isThere
    }
}
