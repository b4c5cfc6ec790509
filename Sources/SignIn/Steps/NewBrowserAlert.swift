import Core
import Directory
import HTTP
import OAuth
import Platform

/// Mails users about a sign-in from a browser in which their account has not been used before.
struct NewBrowserAlert: Sendable {
    let users: UserStore
    let database: TeamDatabase
    let mail: MailQueue
    let server: ServerContext

    /// User to mail; nil for a user who has not signed in before or has no address for mail.
    func person(_ subject: Subject, in team: TeamID) async throws -> User? {
        let user = try await users.find(subject, in: team)
        return user.flatMap { $0.lastSignInAt != nil && $0.email?.isMailable == true ? $0 : nil }
    }

    func send(to user: User, _ request: Request, of team: TeamSnapshot, in language: Language) async throws {
        guard let email = user.email else { return }
        let use = RateLimit.Use(.mailToRecipient, by: .recipient(email.rawValue, for: .alert))
        guard try await database.isWithin([use], in: team.id, at: server.clock()) else { return }
        let message = EmailMessage.newSignIn(
            at: server.clock(), browser: BrowserName(userAgent: request[.userAgent] ?? "").known,
            ip: request.client.description, link: server.publicURL + TeamRoutes.account.link(team.id))
        try await mail.enqueue(OutgoingMail(message, to: email, in: language, from: team.name), in: team.id)
    }
}
