public import Domain

extension BatchedPurge {
    /// Deletes receipts and dead jobs after their retention.
    public static let jobs = BatchedPurge(function: "pippin_purge_jobs")
}
