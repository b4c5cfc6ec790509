public import Domain

extension BatchedPurge {
    /// Handovers of native apps that are no longer needed.
    public static let nativeHandovers = BatchedPurge(function: "pippin_purge_native_handovers")
    /// Test sign-ins of the console, one day after their start.
    public static let testSignIns = BatchedPurge(function: "pippin_purge_trials")
    /// Requests to upstream providers that are finished.
    public static let upstreamRequests = BatchedPurge(function: "pippin_purge_provider_trips")
    /// Revoked upstream tokens, after their retention period.
    public static let providerTokens = BatchedPurge(function: "pippin_purge_provider_tokens")
    /// Notifications from upstream providers, after their retention period.
    public static let upstreamNotifications = BatchedPurge(function: "pippin_purge_provider_notices")
    /// Notifications to apps, after their retention period.
    public static let notifications = BatchedPurge(function: "pippin_purge_notices")
    /// Transferred users that the new team did not request within the transfer window.
    public static let transferredPeople = BatchedPurge(function: "pippin_purge_transferred_people")
    /// App transfers that were not accepted, after their display period, and accepted ones that are no longer needed.
    public static let appTransfers = BatchedPurge(function: "pippin_purge_app_transfers")
    /// Receipts of account deletions, after their retention period.
    public static let deletionReceipts = BatchedPurge(function: "pippin_purge_deletion_receipts")
    /// Not-befores of deleted clients, once the last affected token has expired.
    public static let notBefores = BatchedPurge(function: "pippin_purge_token_cutoffs")
    /// Refresh tokens of deleted clients that had too many to delete with the client.
    public static let endedClients = BatchedPurge(function: "pippin_purge_ended_clients")
    /// Revoked refresh tokens after their retention period, except the last one of each user and group of apps.
    public static let refreshTokens = BatchedPurge(function: "pippin_purge_refresh_tokens")
}
