public import Postgres

/// Attempts, delays, timeout and retention of a kind of job.
public struct JobPolicy: Sendable {
    /// Order of jobs inside a team; teams take turns independently of it.
    public enum Priority: Int, Sendable, CaseIterable {
        /// A user waits for it, as for an email with a link.
        case urgent
        case normal
        /// Recurring work of the installation, which has places of its own.
        case recurring
    }

    public var priority = Priority.normal
    /// Number of attempts before the job is dead.
    ///
    /// With the delays below, the last attempt comes about two and a half days after the first.
    public var attempts = 20
    /// The wait after the first failed attempt; doubled after each further one.
    public var firstDelay = Duration.seconds(10)
    public var longestDelay = Duration.seconds(6 * 3600)
    /// Duration of an attempt after which its task is cancelled.
    public var timeout = Duration.seconds(300)
    /// How long a job that succeeded is kept as its own receipt.
    public var keepsReceipt = Duration.seconds(86_400)
    /// How long a dead job is kept for operators.
    public var keepsDead = Duration.seconds(30 * 86_400)

    public init() {}

    /// The wait after the given number of failed attempts, at least one.
    ///
    /// - Parameter spread: from 0 up to 1; spreads the waits between half of the delay and the whole of it, so that
    ///   jobs that failed together are not retried together.
    func delay(after attempts: Int, spread: Double) -> Duration {
        let doublings = min(max(attempts, 1) - 1, 40)
        let whole = min(firstDelay * (1 << doublings), longestDelay)
        return whole * (0.5 + spread / 2)
    }
}

extension JobPolicy.Priority: SQLBindable {
    public static var sqlType: UInt32 { Int.sqlType }

    public func encode(into bytes: inout [UInt8]) -> Bool { rawValue.encode(into: &bytes) }
}
