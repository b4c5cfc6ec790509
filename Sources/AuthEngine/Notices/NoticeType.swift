public import Postgres

/// What an app is told of (Apple, "Processing changes for Sign in with Apple accounts").
public enum NoticeType: String, SQLText, CaseIterable, Sendable {
    /// A person stopped using the app, or a client revoked its authorization.
    case consentRevoked = "consent-revoked"
    /// The account is gone.
    case accountDelete = "account-delete"
    /// Mail to the relay address is forwarded no more, and again.
    case emailDisabled = "email-disabled"
    case emailEnabled = "email-enabled"

    /// Whether the event carries the relay address.
    var isAboutEmail: Bool { self == .emailDisabled || self == .emailEnabled }
}

/// What has become of a notice.
public enum NoticeState: String, SQLText, CaseIterable, Sendable {
    case pending
    case delivered
    /// Every attempt failed, or there was nobody to tell.
    case dead
}
