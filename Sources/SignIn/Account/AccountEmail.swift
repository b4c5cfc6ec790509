import Core
import Directory
import HTTP
import OAuth
import Platform

/// Change of the email address.
struct AccountEmail: Sendable {
    let steps: AccountSteps

    func askEmail(_ person: SignedInUser) async throws -> Response {
        steps.pages.respond(emailPage(person, login: try await steps.login(of: person)))
    }

    /// Mails a link to the new address; the response is the same if the address belongs to another account.
    func changeEmail(_ person: SignedInUser) async throws -> Response {
        let form = try steps.form(of: person)
        let login = try await steps.login(of: person)
        var page = emailPage(person, login: login)
        page.email = form["email"] ?? ""
        guard let email = EmailAddress(typed: page.email) else {
            page.errors.add("email", Message("hosted.registration.email-wrong"))
            return steps.pages.respond(page, status: .unprocessableContent)
        }
        if let refusal = try await steps.refusal(of: form["current"] ?? "", login, person) {
            page.errors.add("current", refusal.words)
            return steps.answer(steps.pages.respond(page, status: refusal.status), refusal)
        }
        let caller = AccountCaller(
            team: person.team.id, language: person.language, origin: person.request.auditOrigin,
            now: steps.server.clock())
        try await steps.accounts.emailChanges.begin(person.subject, to: email, by: steps.right(of: person), for: caller)
        // Accounts of the system team belong to users of the console, who may know that the server sends no mail.
        let mayKnow = person.team.isSandbox || person.team.id == .system
        let sent = MessagePage.mailSent(
            to: page.email, isKept: mayKnow && !steps.server.sendsMail,
            steps.frame(Message("hosted.mail.sent-title"), person),
            next: (TeamRoutes.account.link(person.team.id), Message("hosted.account.title").localizedText))
        return steps.pages.respond(sent)
    }

    private func emailPage(_ person: SignedInUser, login: String) -> EmailPage {
        EmailPage(
            frame: steps.frame(Message("hosted.email.title"), person), action: TeamRoutes.ownEmail.link(person.team.id),
            formToken: steps.formToken(person), backURL: TeamRoutes.account.link(person.team.id), login: login)
    }
}
