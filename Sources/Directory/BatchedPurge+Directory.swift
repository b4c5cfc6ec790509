public import Domain

extension BatchedPurge {
    /// Purge of expired sessions.
    public static let sessions = BatchedPurge(function: "pippin_purge_sessions")
    /// Purge of limit counters whose window has ended.
    public static let limits = BatchedPurge(function: "pippin_purge_limits")
    /// Purge of expired mailed links.
    public static let mailedLinks = BatchedPurge(function: "pippin_purge_mailed_links")
    /// Purge of native apps' announcements: one hour after their hold without a name, one year with one.
    public static let providerAnnouncements = BatchedPurge(function: "pippin_purge_provider_announcements")
    /// Purge of recorded unlinks from providers, once no earlier answer of the provider can still be waiting (8 days).
    public static let providerPartings = BatchedPurge(function: "pippin_purge_provider_partings")
}
