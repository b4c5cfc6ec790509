import EventLoop

/// Whether the server has been unreachable for so long that no statement should wait for it.
struct Outage {
    private let limit: Duration
    /// Start of the outage; nil while connected, and before the first connection, which may only be slow to open.
    private var since: Int64?
    private var hasBeenThere = false

    init(limit: Duration) { self.limit = limit }

    /// Records the state of the connections; called whenever one opens or is lost.
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
