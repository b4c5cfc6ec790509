/// Pause before a worker that died is started again.
///
/// The first two restarts are immediate; then the pause grows until a worker has lived for a minute.
struct Backoff {
    /// Lifetime after which a worker counts as well started, whatever ended it.
    private static let steady = Duration.seconds(60)
    private static let firstPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(30)

    private var deaths = 0

    /// Records a death.
    ///
    /// - Returns: the pause before the next start.
    mutating func pause(afterLivingFor life: Duration) -> Duration {
        if life >= Self.steady { deaths = 0 }
        defer { deaths += 1 }
        guard deaths >= 2 else { return .zero }
        return min(Self.firstPause * (1 << min(deaths - 2, 10)), Self.longestPause)
    }
}
