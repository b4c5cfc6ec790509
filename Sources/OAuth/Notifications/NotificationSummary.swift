public import Core
public import Platform

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
