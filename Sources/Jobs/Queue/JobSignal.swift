import EventLoop
import Synchronization

/// Signals from any loop to the worker of this process that there may be jobs to run.
public final class JobSignal: Sendable {
    private let listener = Mutex<(@Sendable () -> Void)?>(nil)

    public init() {}

    /// Wakes the worker; may be called before the transaction commits, because the worker polls several times.
    public func ring() { listener.withLock { $0 }?() }

    func connect(_ loop: EventLoop, to wake: @escaping @Sendable () -> Void) {
        listener.withLock { $0 = { loop.execute(wake) } }
    }

    func disconnect() { listener.withLock { $0 = nil } }
}
