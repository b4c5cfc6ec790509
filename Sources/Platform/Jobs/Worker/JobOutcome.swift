public import Core

/// Result of one attempt at a job.
public enum JobOutcome: Sendable {
    /// The job is done.
    ///
    /// - Parameter result: stored in the receipt; no secrets.
    case succeeded(_ result: JSONValue? = nil)
    /// The job is done, and the handler has recorded that in its own transaction (`JobRun.succeed`).
    case ended
    /// The attempt failed; the policy defines when to try again and when the job is dead.
    ///
    /// An error that a handler throws counts as this case. The problem is shown to operators and logged, so it contains
    /// no address and no secret.
    case failed(_ problem: String)
    /// The attempt failed, and the remote server specified when to retry.
    ///
    /// Counts as an attempt.
    case retry(after: Duration, _ problem: String)
    /// The job was not tried and is due again after the duration.
    ///
    /// Does not count as an attempt.
    case postponed(Duration)
    /// The job can never succeed and is dead at once.
    case refused(_ problem: String)
}

/// Error: this release cannot read what the job carries, as a newer one beside it may, so the job is put off for it.
public struct UnreadableJob: Error, Sendable {
    /// Time between two looks at such a job.
    static let pause = Duration.seconds(30)

    let problem: String

    public init(_ problem: String) { self.problem = problem }

    /// The outcome: a job that no release has tried is dead after a day, and one that another has tried after the time that
    /// its attempts take.
    func outcome(of claim: JobClaim) -> JobOutcome {
        claim.age > .seconds(86_400 * (claim.attempt == 1 ? 1 : 4)) ? .refused(problem) : .postponed(Self.pause)
    }
}

extension JobOutcome {
    var problem: String? {
        switch self {
        case .succeeded, .ended, .postponed: nil
        case .failed(let problem), .retry(_, let problem), .refused(let problem): problem
        }
    }

    /// Whether the job is dead after that attempt.
    func isDeath(at attempt: Int, _ policy: JobPolicy) -> Bool {
        switch self {
        case .succeeded, .ended, .postponed: false
        case .refused: true
        case .failed, .retry: attempt >= policy.attempts
        }
    }

    /// The wait before the next attempt; a wait that a remote server asks for is limited to four times `longestDelay`.
    func delay(after attempt: Int, _ policy: JobPolicy, spread: Double) -> Duration {
        if case .retry(let asked, _) = self { return max(.zero, min(asked, policy.longestDelay * 4)) }
        return policy.delay(after: attempt, spread: spread)
    }
}

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
