public import Postgres

/// Type of a notification to an app (Apple, "Processing changes for Sign in with Apple accounts").
public enum NotificationType: String, SQLText, CaseIterable, Sendable {
    /// The user stopped using the app, or a client revoked its authorization.
    case consentRevoked = "consent-revoked"
    /// The account was deleted.
    case accountDelete = "account-delete"
    /// Mail to the relay address is no longer forwarded.
    case emailDisabled = "email-disabled"
    /// Mail to the relay address is forwarded again.
    case emailEnabled = "email-enabled"

    /// Whether the event carries the relay address.
    var isAboutEmail: Bool { self == .emailDisabled || self == .emailEnabled }
}
