import Glibc

/// Looks, while a process starts, whether it is told to end, and acts where that has waited too long.
///
/// The thread that starts may block for as long as another program does, and takes signals only when it is done.
public final class StartWatch: Sendable {
    private static let interval: UInt32 = 20_000

    private let isOver: Flag
    private let thread: LoopThread

    /// - Parameters:
    ///   - signals: claimed before.
    ///   - patience: how long one of them may wait.
    ///   - act: called on a thread of its own, at most once.
    public init(
        for signals: [Int32],
        patience: Duration,
        act: @escaping @Sendable () -> Void
    ) throws(EventLoop.Failure) {
        let isOver = Flag()
        self.isOver = isOver
        thread = try LoopThread.start(name: "start-watch") {
            var arrival: ContinuousClock.Instant?
            while !isOver.isSet {
                if Signals.arePending(signals) {
                    let first = arrival ?? .now
                    if ContinuousClock.now - first > patience { return act() }
                    arrival = first
                }
                usleep(Self.interval)
            }
        }
    }

    /// The process has started; signals are taken from now on.
    public func end() {
        if isOver.set() { thread.join() }
    }
}
