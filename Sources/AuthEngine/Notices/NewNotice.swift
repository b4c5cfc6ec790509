public import Crypto
public import Domain
import Jobs

/// A notice that has not been enqueued yet.
public struct NewNotice: Sendable {
    /// Whom a notice is about that is sent to try the address.
    public static let testSubject = Subject(hexadecimal: String(repeating: "0", count: 32))

    public let id: NoticeID
    let type: NoticeType
    let subject: Subject
    let appID: ClientID
    let isTest: Bool
    let job: NewJob

    /// - Parameter appID: the primary App ID of the group that is told.
    public init(
        _ type: NoticeType,
        of subject: Subject,
        to appID: ClientID,
        isTest: Bool = false,
        form: NoticeForm = NoticeForm(),
        random: RandomSource = .system
    ) {
        id = NoticeID(random: random)
        self.type = type
        self.subject = subject
        self.appID = appID
        self.isTest = isTest
        job = NewJob(NoticeJob(id, form), random: random)
    }
}
