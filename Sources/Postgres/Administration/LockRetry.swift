/// How long a migration waits for a lock on a table that others use.
public struct LockRetry: Sendable {
    /// Time for which a statement waits, and everybody else behind it.
    var timeout = Duration.seconds(2)
    /// Pauses before the next attempt, which grow.
    var firstPause = Duration.seconds(1), longestPause = Duration.seconds(15)
    /// Time from the first attempt after which there is none any more.
    public var limit = Duration.seconds(600)

    public init() {}

    var setting: String { "SET LOCAL lock_timeout = \(Int(timeout / .milliseconds(1)))" }
}
