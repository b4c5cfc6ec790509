import EventLoop

/// Whether a server has been away for so long that nobody should wait for it.
struct Absence {
    private let limit: Duration
    private var since: Int64?

    init(limit: Duration) {
        self.limit = limit
        since = MonotonicTime.now()
    }

    /// To be told whenever a connection opens or is lost.
    mutating func note(isReady: Bool) {
        if isReady { since = nil } else { since = since ?? MonotonicTime.now() }
    }

    /// Whether there has been no connection for longer than the limit.
    var isLong: Bool {
        guard let since else { return false }
        return MonotonicTime.now() - since > limit.nanoseconds
    }
}
