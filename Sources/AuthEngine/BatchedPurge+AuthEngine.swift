public import Domain

extension BatchedPurge {
    /// What native apps handed over and nobody needs any more.
    public static let nativeHandovers = BatchedPurge(function: "pippin_purge_native_handovers")
    /// Trials of the console that began a day ago.
    public static let trials = BatchedPurge(function: "pippin_purge_trials")
    /// Trips to providers that are over.
    public static let providerTrips = BatchedPurge(function: "pippin_purge_provider_trips")
    /// Rows of providers' tokens that were revoked and kept long enough.
    public static let providerTokens = BatchedPurge(function: "pippin_purge_provider_tokens")
    /// What providers told, kept long enough.
    public static let providerNotices = BatchedPurge(function: "pippin_purge_provider_notices")
    /// Notices to apps that were kept long enough.
    public static let notices = BatchedPurge(function: "pippin_purge_notices")
    /// People who came with an app and were not asked for within the window.
    public static let transferredPeople = BatchedPurge(function: "pippin_purge_transferred_people")
    /// Offers of App IDs that were not accepted and were shown long enough, and accepted ones that nobody needs any more.
    public static let appTransfers = BatchedPurge(function: "pippin_purge_app_transfers")
    /// Receipts of deletions that were kept long enough.
    public static let deletionReceipts = BatchedPurge(function: "pippin_purge_deletion_receipts")
    /// Cut-offs of clients that are gone, once their last token is over.
    public static let tokenCutoffs = BatchedPurge(function: "pippin_purge_token_cutoffs")
    /// Refresh tokens of clients that are gone and had too many to go with them.
    public static let endedClients = BatchedPurge(function: "pippin_purge_ended_clients")
    /// Refresh tokens that were revoked and kept long enough, but for the last one of a person and group of apps.
    public static let refreshTokens = BatchedPurge(function: "pippin_purge_refresh_tokens")
}
