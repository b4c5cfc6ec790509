import EventLoop
import Synchronization

/// Tells the worker of this process that there may be something to do, from whichever loop.
public final class JobBell: Sendable {
    private let listener = Mutex<(@Sendable () -> Void)?>(nil)

    public init() {}

    /// May be rung before the transaction commits: the worker looks several times.
    public func ring() {
        listener.withLock { $0 }?()
    }

    func connect(_ loop: EventLoop, to wake: @escaping @Sendable () -> Void) {
        listener.withLock { $0 = { loop.execute(wake) } }
    }

    func disconnect() {
        listener.withLock { $0 = nil }
    }
}
