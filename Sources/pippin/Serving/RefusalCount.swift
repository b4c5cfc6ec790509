import HTTP
import Operations
import Synchronization

/// Counts the requests that the loops of this process answer 429 and 503.
final class RefusalCount: Sendable {
    private let counts = Mutex(RefusedRequests())

    /// Since the start.
    var figures: RefusedRequests { counts.withLock { $0 } }

    /// - Parameter status: what a request was answered; nil where its client left before.
    func note(_ status: Status?) {
        if status == .tooManyRequests {
            counts.withLock { $0.tooMany += 1 }
        } else if status == .serviceUnavailable {
            counts.withLock { $0.unavailable += 1 }
        }
    }
}
