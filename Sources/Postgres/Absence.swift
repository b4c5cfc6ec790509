import EventLoop

/// Whether a server has been away for so long that nobody should wait for it.
struct Absence {
    private let limit: Duration
    /// Nil while there is a connection, and before the first: a server that was never there may only be far away.
    private var since: Int64?
    private var hasBeenThere = false

    init(limit: Duration) {
        self.limit = limit
    }

    /// To be told whenever a connection opens or is lost.
    mutating func note(isReady: Bool) {
        if isReady {
            (since, hasBeenThere) = (nil, true)
        } else if hasBeenThere, since == nil {
            since = MonotonicTime.now()
        }
    }

    /// Whether there has been no connection for longer than the limit.
    var isLong: Bool {
        guard let since else { return false }
        return MonotonicTime.now() - since > limit.nanoseconds
    }
}
