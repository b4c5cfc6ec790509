public import Domain

/// The id of a job and of its receipt.
///
/// It cannot be guessed, because a client that knows it may read the state of the job.
public typealias JobID = RandomID<JobSummary>
