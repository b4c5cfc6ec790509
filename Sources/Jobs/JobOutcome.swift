public import Bytes

/// How an attempt ended.
public enum JobOutcome: Sendable {
    /// It is done.
    ///
    /// - Parameter result: what the receipt says beside that; no secrets.
    case succeeded(_ result: JSONValue? = nil)
    /// It is done, and the handler has said so in a transaction of its own (`JobRun.succeed`).
    case ended
    /// It did not work; the policy says when to try again, and when that has been tried often enough.
    ///
    /// An error that a handler throws counts as this. What the problem says is shown to operators and logged, so it
    /// holds no address and no secret.
    case failed(_ problem: String)
    /// It did not work, and the other side said when to come back.
    ///
    /// Counts as an attempt.
    case retry(after: Duration, _ problem: String)
    /// It was not tried, since its turn comes later.
    ///
    /// Counts as no attempt.
    case postponed(Duration)
    /// It will never work: dead at once.
    case refused(_ problem: String)
}

extension JobOutcome {
    var problem: String? {
        switch self {
        case .succeeded, .ended, .postponed: nil
        case .failed(let problem), .retry(_, let problem), .refused(let problem): problem
        }
    }

    /// Whether the job is dead with that attempt.
    func isDeath(at attempt: Int, _ policy: JobPolicy) -> Bool {
        switch self {
        case .succeeded, .ended, .postponed: false
        case .refused: true
        case .failed, .retry: attempt >= policy.attempts
        }
    }

    /// The wait before the next attempt; what another server asks for is believed within reason.
    func delay(after attempt: Int, _ policy: JobPolicy, spread: Double) -> Duration {
        if case .retry(let asked, _) = self { return max(.zero, min(asked, policy.longestDelay * 4)) }
        return policy.delay(after: attempt, spread: spread)
    }
}
