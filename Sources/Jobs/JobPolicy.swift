public import Postgres

/// How a kind of job is tried.
public struct JobPolicy: Sendable {
    /// What goes first inside a team; teams take turns whatever they ask for.
    public enum Priority: Int, Sendable, CaseIterable {
        /// A person waits for it, as for a mail with a link.
        case urgent
        case normal
    }

    public var priority = Priority.normal
    /// Attempts before the job is dead.
    ///
    /// With the delays below the last one comes about two and a half days after the first.
    public var attempts = 20
    /// The wait after the first failed attempt; each further one doubles it.
    public var firstDelay = Duration.seconds(10)
    public var longestDelay = Duration.seconds(6 * 3600)
    /// How long an attempt may take before its task is cancelled.
    public var patience = Duration.seconds(300)
    /// How long a job that succeeded or was cancelled is kept as its own receipt.
    public var keepsReceipt = Duration.seconds(86_400)
    /// How long a dead one waits for somebody to look at it.
    public var keepsDead = Duration.seconds(30 * 86_400)

    public init() {}

    /// The wait after so many failed attempts, at least one.
    ///
    /// - Parameter spread: from 0 up to 1; jobs that failed together come back between half of the delay and the
    ///   whole of it, so not together.
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
