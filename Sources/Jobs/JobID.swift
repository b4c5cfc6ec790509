public import Domain

/// The id of a job and of its receipt.
///
/// Whoever knows it may be told the job's fate, so it cannot be guessed.
public typealias JobID = RandomID<JobSummary>
