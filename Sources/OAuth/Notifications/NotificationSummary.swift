public import Core
public import Platform
public import Postgres
public import Registry

/// Notification in the delivery log.
public struct NotificationSummary: Sendable {
    public let id: NotificationID
    public let type: NotificationType
    public let subject: Subject
    public let appID: ClientID
    public let state: NotificationState
    public let attempts: Int
    public let isTest: Bool
    public let createdAt: Timestamp
    public let settledAt: Timestamp?
    /// Progress of its delivery job; nil if it has none.
    public let delivery: Delivery?

    /// Progress of the job of a pending notification.
    public struct Delivery: Sendable {
        /// Failed attempts of this job; those of earlier jobs are not included if a notification is sent again.
        public let failures: Int
        /// Time of the next attempt; nil during an attempt.
        public let nextAttemptAt: Timestamp?
    }
}

/// ID of a notification, and its `jti`.
///
/// It is the same each time the notification is sent, so that an app acts on it once.
public typealias NotificationID = RandomID<NotificationSummary>

/// State of a notification.
public enum NotificationState: String, SQLText, CaseIterable, Sendable {
    case pending
    case delivered
    /// Every attempt failed, or the App ID has no notification URL.
    case dead
}

/// Deviations from a team's usual notifications, used to simulate a server that behaves differently.
public struct NotificationFormat: Sendable {
    /// Spelling of the account deletion event; nil for the team's.
    public var accountDeleteEvent: AccountDeleteEvent?
    /// Number of copies sent.
    public var copies: Int

    public init(accountDeleteEvent: AccountDeleteEvent? = nil, copies: Int = 1) {
        self.accountDeleteEvent = accountDeleteEvent
        self.copies = copies
    }
}

/// Filter for the delivery log; nil matches any value.
public struct NotificationFilter: Sendable {
    public var state: NotificationState?
    public var type: NotificationType?
    public var appID: ClientID?
    public var subject: Subject?

    public init(
        state: NotificationState? = nil, type: NotificationType? = nil, appID: ClientID? = nil, subject: Subject? = nil
    ) {
        self.state = state
        self.type = type
        self.appID = appID
        self.subject = subject
    }
}
