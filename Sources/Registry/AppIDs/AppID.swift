public import Core
public import Platform
import Postgres

/// An app, identified by its bundle ID.
public struct AppID: Hashable, Sendable {
    public let identifier: ClientID
    public let description: String
    /// Whether Sign in with Apple is enabled for it.
    public let isEnabled: Bool
    /// The primary App ID it is grouped under; nil when it is a primary App ID itself.
    public let primary: ClientID?
    public let notificationURL: NotificationURL?
    /// The issuer in tokens of its native app.
    public let issuer: ServiceID.Issuer
    /// Incremented with every change; a form carries the version it was filled from.
    public let version: Int
    public let createdAt: Timestamp

    /// The primary App ID of its group, which may be itself.
    public var primaryAppID: ClientID { primary ?? identifier }

    /// Its editable values.
    public var draft: Draft {
        Draft(
            identifier: identifier, description: description, isEnabled: isEnabled, primary: primary,
            notificationURL: notificationURL, issuer: issuer)
    }

    /// Reads `AppIDStore.columns`.
    init(_ row: inout Row) throws(PostgresFailure) {
        identifier = try row.next()
        description = try row.next()
        isEnabled = try row.next()
        primary = try row.next()
        let notificationURL: String? = try row.next()
        self.notificationURL = notificationURL.map(NotificationURL.init(stored:))
        issuer = try row.next()
        version = try row.next()
        createdAt = try row.next()
    }
}
