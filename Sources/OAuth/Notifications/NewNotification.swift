public import Crypto
public import Platform

/// Notification that has not been enqueued yet.
public struct NewNotification: Sendable {
    /// `sub` of test notifications.
    public static let testSubject = Subject(hexadecimal: String(repeating: "0", count: 32))

    public let id: NotificationID
    let type: NotificationType
    let subject: Subject
    let appID: ClientID
    let isTest: Bool
    let job: NewJob

    /// - Parameter appID: the primary App ID of the notified group.
    public init(
        _ type: NotificationType, of subject: Subject, to appID: ClientID, isTest: Bool = false,
        form: NotificationFormat = NotificationFormat(), random: RandomSource = .system
    ) {
        id = NotificationID(random: random)
        self.type = type
        self.subject = subject
        self.appID = appID
        self.isTest = isTest
        job = NewJob(NotificationJob(id, form), random: random)
    }
}
