/// Numbers of attempts since the process started, by result.
public struct JobCounts: Sendable {
    public private(set) var succeeded = 0
    /// Failed attempts of jobs that will be tried again.
    public private(set) var failed = 0
    public private(set) var dead = 0

    public init() {}

    mutating func note(_ outcome: JobOutcome, isDead: Bool) {
        switch outcome {
        case .succeeded, .ended: succeeded += 1
        case .postponed: break
        case .failed, .retry, .refused: if isDead { dead += 1 } else { failed += 1 }
        }
    }
}
