public import Domain

extension BatchedPurge {
    /// Sessions that have expired.
    public static let sessions = BatchedPurge(function: "pippin_purge_sessions")
    /// Counts of limits whose window is over.
    public static let limits = BatchedPurge(function: "pippin_purge_limits")
    /// Mailed links that nobody followed in time.
    public static let mailedLinks = BatchedPurge(function: "pippin_purge_mailed_links")
    /// Whom native apps announced, where nobody needs it any more.
    public static let providerAnnouncements = BatchedPurge(
        function: "pippin_purge_provider_announcements"
    )
    /// That people parted from providers, where no answer from before can wait any more.
    public static let providerPartings = BatchedPurge(function: "pippin_purge_provider_partings")
}
