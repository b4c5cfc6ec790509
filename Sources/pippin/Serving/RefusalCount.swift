import Crypto
import Directory
import EventLoop
import HTTP
import Platform
import Synchronization

/// Number of requests that the loops of this process answered 429 and 503.
final class RefusalCount: Sendable {
    private let counts = Mutex(RefusedRequests())
    private let limits: LimitCounts

    init(_ limits: LimitCounts) { self.limits = limits }

    /// Counts since the start.
    var figures: RefusedRequests {
        var figures = counts.withLock { $0 }
        figures.limited = limits.refusals
        return figures
    }

    /// - Parameter status: status of the response; nil if the client closed the connection before.
    func note(_ status: Status?) {
        if status == .tooManyRequests {
            counts.withLock { $0.tooMany += 1 }
        } else if status == .serviceUnavailable {
            counts.withLock { $0.unavailable += 1 }
        }
    }
}
