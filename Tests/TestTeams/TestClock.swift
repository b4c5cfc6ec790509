public import Core
import Crypto
import Synchronization

/// A clock that moves when a test says so.
public final class TestClock: Sendable {
    private let moment: Mutex<Timestamp>

    public init(_ moment: Timestamp = Timestamp(seconds: 1_800_000_123)) { self.moment = Mutex(moment) }

    public var now: Timestamp { moment.withLock { $0 } }

    public func set(_ moment: Timestamp) { self.moment.withLock { $0 = moment } }

    public func advance(by duration: Duration) { moment.withLock { $0 = $0 + duration } }
}
