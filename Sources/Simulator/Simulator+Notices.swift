import AuthEngine
import Directory
import Domain
import HTTP
import Tenancy
import Web

// What Apple tells by itself, where an app registered an address for it.
extension Simulator {
    /// Has something happen to somebody, and tells their apps as Apple does: signed, through the outbox.
    func tell(_ request: Request) async throws -> Response {
        let form = try request.form()
        guard let performer = form["person"].flatMap(Performer.init(rawValue:)),
            let news = form["event"].flatMap(News.init(rawValue:))
        else { throw Problem.wrongChoice }
        guard let copies = Int(form["copies"] ?? "1"), (1...Self.mostCopies).contains(copies) else {
            throw Problem.wrongChoice
        }
        let shape = NoticeForm(accountDeleteEvent: news.spelling, copies: copies)
        let isTold = try await tell(news.type, shape, of: performer, from: request.auditOrigin)
        return .redirect(to: (isTold ? Done.told : .nobody).link)
    }

    /// How often the same notice may come, more than Apple ever sends it.
    private static let mostCopies = 5

    /// Somebody who stops using the apps is asked anew by each; of the rest only the news is true.
    ///
    /// - Returns: false where the person uses no app.
    private func tell(
        _ type: NoticeType,
        _ form: NoticeForm,
        of performer: Performer,
        from origin: Origin
    ) async throws -> Bool {
        let subject = performer.subject
        let apps = try await consentList.list(of: subject, in: team)
        for app in apps {
            let group = app.consent.appID
            guard type != .consentRevoked else {
                try await consentEnds.end(
                    of: subject,
                    for: group,
                    in: team,
                    by: .person(subject),
                    from: origin,
                    telling: form
                )
                continue
            }
            let notice = NewNotice(type, of: subject, to: group, form: form)
            try await database.transaction(in: team) { transaction in
                _ = try await Notices.enqueue(notice, in: team, transaction)
            }
        }
        return !apps.isEmpty
    }
}

/// What happens to somebody; a deleted account in both of Apple's spellings.
enum News: String, CaseIterable, Sendable {
    case consentRevoked = "consent-revoked"
    case accountDelete = "account-delete"
    case accountDeleted = "account-deleted"
    case emailDisabled = "email-disabled"
    case emailEnabled = "email-enabled"

    var type: NoticeType {
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
