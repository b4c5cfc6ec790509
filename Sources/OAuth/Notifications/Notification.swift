public import Core
import Crypto
public import Platform
public import Postgres
public import Registry

/// ID of a notification, and its `jti`.
///
/// It is the same each time the notification is sent, so that an app acts on it once.
public typealias NotificationID = RandomID<NotificationSummary>

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

/// Content of a notification as it is sent.
struct NotificationToken: Sendable {
    let id: NotificationID
    let type: NotificationType
    let subject: Subject
    let appID: ClientID
    let eventTime: Timestamp
    /// Notification URL; nil if the App ID no longer has one.
    let url: String?
    /// Relay address that the app has of the user, for events about it: Pippin's, or that of the user's provider.
    let relayAddress: String?
    /// The team's spelling of the account deletion event: Apple's documents have two.
    var accountDeleteEvent: String

    /// Request body in Apple's form, `{"payload":"<JWS>"}`, signed with the key of the team's tokens.
    ///
    /// - Parameter base: the team's own issuer.
    /// - Throws: `NoSigningKey` when the team has no key, `SigningFailure` when OpenSSL fails.
    func body(signedBy team: TeamSnapshot, base: String, at moment: Timestamp) throws -> [UInt8] {
        var json = JSONWriter(capacity: 1536)
        json.member("payload", try team.sign(claims(of: team, base, at: moment), at: moment))
        return json.finish()
    }

    /// Apple's claims: `exp` is a day after `iat`, and `events` a string with JSON in it, as Apple sends and clients
    /// read it.
    private func claims(of team: TeamSnapshot, _ base: String, at moment: Timestamp) -> [UInt8] {
        let issued = moment - TokenLifetime.backdating
        var json = JSONWriter()
        json.member("iss", team.expectsApple(appID) ? appleIssuer : base)
        json.member("aud", appID.rawValue)
        json.member("iat", issued.seconds)
        json.member("exp", (issued + TokenLifetime.longestSigned).seconds)
        json.member("jti", id.rawValue)
        json.member("events", String(decoding: events, as: UTF8.self))
        return json.finish()
    }

    private var events: [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.member("type", type == .accountDelete ? accountDeleteEvent : type.rawValue)
        json.member("sub", subject.rawValue)
        if type.isAboutEmail, let relayAddress {
            json.member("email", relayAddress)
            json.member("is_private_email", "true")
        }
        json.member("event_time", Int(eventTime.microseconds / 1000))
        return json.finish()
    }
}

extension TeamSnapshot {
    /// Whether the backend of a group of apps expects Apple's issuer: all its Service IDs do, or without any the primary
    /// App ID.
    fileprivate func expectsApple(_ primaryAppID: ClientID) -> Bool {
        let services = services.values.filter { apps[$0.app]?.primaryAppID == primaryAppID }
        return services.isEmpty ? apps[primaryAppID]?.issuesAsApple ?? false : services.allSatisfy(\.issuesAsApple)
    }
}
