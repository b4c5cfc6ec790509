public import Domain

/// A job claimed by a worker until its lease ends.
///
/// The number of the attempt is part of the claim: an attempt that lost the job cannot end it, not even when the same
/// worker has claimed it again.
public struct JobClaim: Sendable {
    public let team: TeamID
    public let id: JobID
    public let kind: String
    /// Number of this attempt; the first is 1.
    public let attempt: Int
    let worker: WorkerID

    struct Key: Hashable {
        let team: TeamID
        let id: JobID
    }

    var key: Key { Key(team: team, id: id) }
}
