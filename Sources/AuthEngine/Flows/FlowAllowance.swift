import Directory
import Domain
import EventLoop

/// How much is stored of flows that anybody on the network can cause, in KiB: so much of each owner's at once, and so much
/// a day, that nobody fills the disk.
///
/// What is beyond it is counted all the same.
struct FlowAllowance<Owner: Hashable> {
    private let burst: Double
    private let perSecond: Double
    private var buckets: [Owner: Bucket] = [:]

    private static var capacity: Int { 20_000 }

    private struct Bucket {
        var level: Double
        var filledAt: Int64
    }

    init(burst: Int, perDay: Int) {
        self.burst = Double(burst)
        perSecond = Double(perDay) / 86_400
    }

    /// Takes so much; false when there is less left.
    mutating func take(_ amount: Int = 1, for owner: Owner, at now: Int64 = MonotonicTime.now()) -> Bool {
        if buckets.count >= Self.capacity { forgetFullest(at: now) }
        var bucket = buckets[owner] ?? Bucket(level: burst, filledAt: now)
        bucket.level = level(of: bucket, at: now)
        bucket.filledAt = now
        let isThere = bucket.level >= Double(amount)
        if isThere { bucket.level -= Double(amount) }
        buckets[owner] = bucket
        return isThere
    }

    /// Whether anything is left.
    func isLeft(for owner: Owner, at now: Int64 = MonotonicTime.now()) -> Bool {
        buckets[owner].map { level(of: $0, at: now) >= 1 } ?? true
    }

    private func level(of bucket: Bucket, at now: Int64) -> Double {
        let seconds = Double(max(0, now - bucket.filledAt)) / 1_000_000_000
        return min(burst, bucket.level + seconds * perSecond)
    }

    /// Makes room for others.
    ///
    /// Who is forgotten has a whole burst again; so it is the half that has most left. Whoever has used theirs up gets
    /// nothing back by many others who come.
    private mutating func forgetFullest(at now: Int64) {
        let levels = buckets.map { (owner: $0.key, level: level(of: $0.value, at: now)) }
        for (owner, _) in levels.sorted(by: { $0.level > $1.level }).prefix(levels.count / 2) {
            buckets[owner] = nil
        }
    }
}
