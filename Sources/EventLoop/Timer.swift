/// A closure scheduled to run on a loop.
///
/// Must be used on the loop's thread only.
public final class Timer {
    let deadline: Int64
    private var body: (() -> Void)?

    init(deadline: Int64, body: @escaping () -> Void) {
        self.deadline = deadline
        self.body = body
    }

    /// Cancels the timer and releases its closure.
    public func cancel() { body = nil }

    var isCancelled: Bool { body == nil }

    func fire() {
        let body = self.body
        self.body = nil
        body?()
    }
}

/// The pending timers as a binary heap, earliest first; cancelled timers are removed when they reach the top.
struct TimerHeap {
    private var timers: [Timer] = []

    var nextDeadline: Int64? { timers.first?.deadline }

    mutating func insert(_ timer: Timer) {
        timers.append(timer)
        var child = timers.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard timers[child].deadline < timers[parent].deadline else { return }
            timers.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the earliest timer if it is due at `now`.
    mutating func popDue(_ now: Int64) -> Timer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        timers.swapAt(0, timers.count - 1)
        timers.removeLast()
        siftDown()
        return first
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count {
                if timers[child].deadline < timers[least].deadline { least = child }
            }
            guard least != parent else { return }
            timers.swapAt(parent, least)
            parent = least
        }
    }
}

extension Duration {
    /// Whole nanoseconds, saturated to the range of 64 bits (292 years).
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}
