public import Domain

extension BatchedPurge {
    /// Receipts and dead jobs that were kept long enough.
    public static let jobs = BatchedPurge(function: "pippin_purge_jobs")
}
