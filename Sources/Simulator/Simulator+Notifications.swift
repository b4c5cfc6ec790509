import Directory
import HTTP
import OAuth
import Platform
import Registry
import SignIn

// Apple's server-to-server notifications to apps that registered a URL for them.
extension Simulator {
    /// Simulates an event of a user, and notifies the user's apps as Apple does: signed, through the outbox.
    func sendNotification(_ request: Request) async throws -> Response {
        let form = try request.form()
        guard let performer = form["person"].flatMap(Performer.init(rawValue:)),
            let news = form["event"].flatMap(News.init(rawValue:))
        else { throw UserFacingError.wrongChoice }
        guard let copies = Int(form["copies"] ?? "1"), (1...Self.mostCopies).contains(copies) else {
            throw UserFacingError.wrongChoice
        }
        let shape = NotificationFormat(accountDeleteEvent: news.spelling, copies: copies)
        let isTold = try await sendNotification(news.type, shape, of: performer, from: request.auditOrigin)
        return .redirect(to: (isTold ? Done.told : .nobody).link)
    }

    /// Maximum number of copies of a notification, which is more than Apple ever sends.
    private static let mostCopies = 5

    /// Enqueues the notifications; only `consentRevoked` also changes data, by ending the consents.
    ///
    /// - Returns: false if the user uses no app.
    private func sendNotification(
        _ type: NotificationType, _ form: NotificationFormat, of performer: Performer, from origin: Origin
    ) async throws -> Bool {
        let subject = performer.subject
        let apps = try await consentList.list(of: subject, in: team)
        for app in apps {
            let primaryAppID = app.consent.appID
            guard type != .consentRevoked else {
                try await authorizationEnds.endConsent(
                    of: subject, for: primaryAppID, in: team, by: .person(subject), from: origin, telling: form)
                continue
            }
            let notification = NewNotification(type, of: subject, to: primaryAppID, form: form)
            try await database.transaction(in: team) { transaction in
                _ = try await Notifications.enqueue(notification, in: team, transaction)
            }
        }
        return !apps.isEmpty
    }
}

/// Event of a user; the deletion of an account has both of Apple's spellings.
enum News: String, CaseIterable, Sendable {
    case consentRevoked = "consent-revoked"
    case accountDelete = "account-delete"
    case accountDeleted = "account-deleted"
    case emailDisabled = "email-disabled"
    case emailEnabled = "email-enabled"

    var type: NotificationType {
        switch self {
        case .consentRevoked: .consentRevoked
        case .accountDelete, .accountDeleted: .accountDelete
        case .emailDisabled: .emailDisabled
        case .emailEnabled: .emailEnabled
        }
    }

    var spelling: AccountDeleteEvent? {
        switch self {
        case .accountDelete: .accountDelete
        case .accountDeleted: .accountDeleted
        default: nil
        }
    }
}
