import Directory
import Domain
import EventLoop

/// Quota, in KiB, for trace events that unauthenticated requests can cause: for each owner a burst and a daily amount,
/// so that the disk cannot be filled.
///
/// Events beyond the quota are still counted.
struct TraceQuota<Owner: Hashable> {
    private let burst: Double
    private let perSecond: Double
    private var buckets: [Owner: Bucket] = [:]

    /// Most owners remembered at a time.
    private let capacity: Int

    private struct Bucket {
        var level: Double
        var filledAt: Int64
    }

    init(burst: Int, perDay: Int, capacity: Int = 20_000) {
        self.burst = Double(burst)
        self.capacity = capacity
        perSecond = Double(perDay) / 86_400
    }

    /// Takes an amount; false when there is too little left.
    mutating func take(_ amount: Int = 1, for owner: Owner, at now: Int64 = MonotonicTime.now()) -> Bool {
        if buckets.count >= capacity { forgetFullest(at: now) }
        var bucket = buckets[owner] ?? Bucket(level: burst, filledAt: now)
        bucket.level = level(of: bucket, at: now)
        bucket.filledAt = now
        let isThere = bucket.level >= Double(amount)
        if isThere { bucket.level -= Double(amount) }
        buckets[owner] = bucket
        return isThere
    }

    /// Whether any quota is left.
    func isLeft(for owner: Owner, at now: Int64 = MonotonicTime.now()) -> Bool {
        buckets[owner].map { level(of: $0, at: now) >= 1 } ?? true
    }

    private func level(of bucket: Bucket, at now: Int64) -> Double {
        let seconds = Double(max(0, now - bucket.filledAt)) / 1_000_000_000
        return min(burst, bucket.level + seconds * perSecond)
    }

    /// Makes room for other owners.
    ///
    /// A removed owner has a full burst again, so the half with the most quota left is removed. Owners that have used
    /// up their quota do not regain it through the arrival of many others.
    private mutating func forgetFullest(at now: Int64) {
        let levels = buckets.map { (owner: $0.key, level: level(of: $0.value, at: now)) }
        for (owner, _) in levels.sorted(by: { $0.level > $1.level }).prefix(levels.count / 2) { buckets[owner] = nil }
    }
}
