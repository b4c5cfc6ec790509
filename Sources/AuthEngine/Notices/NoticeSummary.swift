public import Bytes
public import Domain

/// A notice in the delivery log.
public struct NoticeSummary: Sendable {
    public let id: NoticeID
    public let type: NoticeType
    public let subject: Subject
    public let appID: ClientID
    public let state: NoticeState
    public let attempts: Int
    public let isTest: Bool
    public let createdAt: Timestamp
    public let settledAt: Timestamp?
    /// What its job is at; nil where none is to deliver it.
    public let delivery: Delivery?

    /// The job of a waiting notice.
    public struct Delivery: Sendable {
        /// Attempts of this job that are over; a notice that is sent again has those of earlier jobs too.
        public let failures: Int
        /// When it is sent next; nil while it is being sent.
        public let nextAttemptAt: Timestamp?
    }
}

/// What is looked for in the delivery log; nil means any.
public struct NoticeFilter: Sendable {
    public var state: NoticeState?
    public var type: NoticeType?
    public var appID: ClientID?
    public var subject: Subject?

    public init(
        state: NoticeState? = nil,
        type: NoticeType? = nil,
        appID: ClientID? = nil,
        subject: Subject? = nil
    ) {
        self.state = state
        self.type = type
        self.appID = appID
        self.subject = subject
    }
}

/// A page of the delivery log, newest first.
public struct NoticePage: Sendable {
    /// A place in the log: the notice a page ended with.
    public struct Cursor: Sendable {
        public let createdAt: Timestamp
        public let id: NoticeID

        public init(createdAt: Timestamp, id: NoticeID) {
            self.createdAt = createdAt
            self.id = id
        }
    }

    public let notices: [NoticeSummary]
    /// How many there are in all, counted up to `NoticeListStore.countLimit` and one.
    public let total: Int
    public let next: Cursor?
}
