public import Domain

/// A job that a worker has, until its lease ends.
///
/// The number of the attempt is part of the claim: a worker that lost the job cannot end it any more, not even when it
/// got the job back.
public struct JobClaim: Sendable {
    public let team: TeamID
    public let id: JobID
    public let kind: String
    /// This attempt; the first is 1.
    public let attempt: Int
    let worker: WorkerID

    struct Key: Hashable {
        let team: TeamID
        let id: JobID
    }

    var key: Key { Key(team: team, id: id) }
}
