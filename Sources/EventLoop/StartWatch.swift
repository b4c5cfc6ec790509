import Glibc

/// Checks during the start of a process for pending signals to end, and acts if one is pending for too long.
///
/// The starting thread can block for as long as another program does, and handles signals only after that.
public final class StartWatch: Sendable {
    private static let interval: UInt32 = 20_000

    private let isOver: Flag
    private let thread: LoopThread

    /// - Parameters:
    ///   - signals: signals to check, which must be claimed before.
    ///   - timeout: how long one of them may be pending.
    ///   - act: called at most once, on a separate thread.
    public init(for signals: [Int32], timeout: Duration, act: @escaping @Sendable () -> Void) throws(EventLoop.Failure)
    {
        let isOver = Flag()
        self.isOver = isOver
        thread = try LoopThread.start(name: "start-watch") {
            var arrival: ContinuousClock.Instant?
            while !isOver.isSet {
                if Signals.arePending(signals) {
                    let first = arrival ?? .now
                    if ContinuousClock.now - first > timeout { return act() }
                    arrival = first
                }
                usleep(Self.interval)
            }
        }
    }

    /// Ends the watch once the process has started and handles signals itself.
    public func end() { if isOver.set() { thread.join() } }
}
