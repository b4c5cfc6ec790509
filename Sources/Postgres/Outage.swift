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

/// Forwards the first of several answers and ignores the others.
///
/// Used on its loop's thread only.
final class FirstAnswer {
    private var take: ((Bool) -> Void)?

    init(_ take: @escaping (Bool) -> Void) { self.take = take }

    func give(_ answer: Bool) {
        guard let take else { return }
        self.take = nil
        take(answer)
    }
}
