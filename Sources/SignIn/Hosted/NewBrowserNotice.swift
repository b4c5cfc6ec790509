import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Mail
import Web

/// Tells people by mail that somebody signed in from a browser their account has not been used in.
struct NewBrowserNotice: Sendable {
    let users: UserStore
    let limits: SendingLimits
    let mail: MailQueue
    let context: EngineContext

    /// Whom to tell: somebody who has signed in before, and has an address.
    func person(_ subject: Subject, in team: TeamID) async throws -> User? {
        let user = try await users.find(subject, in: team)
        return user.flatMap { $0.lastSignInAt != nil && $0.email != nil ? $0 : nil }
    }

    func send(to user: User, _ request: Request, of team: TeamSnapshot, in language: Language) async throws {
        guard let email = user.email else { return }
        // Who gets twenty of them in an hour has been told.
        let wait = try await limits.charge(.newSignIn, to: email.rawValue, in: team.id, at: context.clock())
        guard wait == nil else { return }
        let letter = Letter.newSignIn(
            at: context.clock(),
            browser: BrowserName(userAgent: request[.userAgent] ?? "").known,
            ip: request.client.description,
            link: context.publicURL + TeamRoutes.account.link(team.id)
        )
        try await mail.enqueue(OutgoingMail(letter, to: email, in: language, from: team.name), in: team.id)
    }
}
