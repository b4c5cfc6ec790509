import AuthEngine
import Directory
import Domain
import HTTP
import Web

// What Apple tells by itself, where an app registered an address for it.
extension Simulator {
    /// Has something happen to somebody, and tells their apps as Apple does: signed, through the outbox.
    func tell(_ request: Request) async throws -> Response {
        let form = try request.form()
        guard let performer = form["person"].flatMap(Performer.init(rawValue:)),
            let type = form["event"].flatMap(NoticeType.init(rawValue:))
        else { throw Problem.wrongChoice }
        try await tell(type, of: performer, from: request.auditOrigin)
        return .redirect(to: Routes.desk.link())
    }

    /// Somebody who stops using the apps is asked anew by each; of the rest only the news is true.
    private func tell(_ type: NoticeType, of performer: Performer, from origin: Origin) async throws {
        let subject = performer.subject
        for app in try await consentList.list(of: subject, in: team) {
            let group = app.consent.appID
            guard type != .consentRevoked else {
                try await consentEnds.end(
                    of: subject,
                    for: group,
                    in: team,
                    by: .person(subject),
                    from: origin
                )
                continue
            }
            try await database.transaction(in: team) { transaction in
                _ = try await Notices.enqueue(NewNotice(type, of: subject, to: group), in: team, transaction)
            }
        }
    }
}
