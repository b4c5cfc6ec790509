import EventLoop

/// Why a statement or transaction failed.
public enum PostgresFailure: Error, Equatable, Sendable {
    /// There is no connection, or it was lost in progress: whether a change was made is unknown.
    case unavailable(String)
    /// The queue of waiting statements is full.
    case overloaded
    /// The statement exceeded its time limit.
    case timedOut
    /// The search exceeded its time limit; a narrower one takes less time.
    case searchTimedOut
    /// The server rejected the statement; nothing of its transaction is committed.
    case refused(Refusal)
    /// A column does not hold the type that the code reads from it.
    case unreadable(column: Int, as: String)

    /// Error fields reported by the server, for the log; code decides on the constraint.
    public struct Refusal: Equatable, Sendable {
        public let sqlState: String
        public let message: String
        public let constraint: String?

        /// COMMIT of a transaction in which a statement had failed, which the caller ignored.
        static let rolledBack = Refusal(
            sqlState: "25P02", message: "the transaction was rolled back, since a statement of it had failed",
            constraint: nil)
    }

    /// Name of the violated unique, check, foreign-key or exclusion constraint; nil for other failures.
    public var constraint: String? {
        if case .refused(let refusal) = self, refusal.sqlState.hasPrefix("23") { refusal.constraint } else { nil }
    }

    /// Whether a row was locked for longer than a statement on a shared connection waits (`lock_timeout`).
    var isWaitForLock: Bool { if case .refused(let refusal) = self { refusal.sqlState == "55P03" } else { false } }

    /// Whether the same request may succeed a little later.
    public var isTemporary: Bool {
        switch self {
        case .unavailable, .overloaded, .timedOut: true
        // Class 40: the transaction was rolled back in favour of another one, for example by a deadlock.
        case .refused(let refusal): refusal.sqlState.hasPrefix("40")
        case .searchTimedOut, .unreadable: false
        }
    }
}

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
