import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// Another e-mail address.
extension AccountEndpoints {
    func askEmail(_ person: Person) async throws -> Response {
        pages.respond(emailPage(person, login: try await login(of: person)))
    }

    /// Mails a link to the new address; the answer is the same when it is somebody else's.
    func changeEmail(_ person: Person) async throws -> Response {
        let form = try form(of: person)
        let login = try await login(of: person)
        var page = emailPage(person, login: login)
        page.email = form["email"] ?? ""
        guard let email = EmailAddress(rawValue: page.email) else {
            page.errors.add("email", Phrase("hosted.registration.email-wrong"))
            return pages.respond(page, status: .unprocessableContent)
        }
        if let refusal = try await refusal(of: form["current"] ?? "", login, person) {
            page.errors.add("current", refusal.words)
            return answer(pages.respond(page, status: refusal.status), refusal)
        }
        let caller = AccountCaller(
            team: person.team.id,
            language: person.language,
            origin: person.request.auditOrigin,
            now: context.clock()
        )
        if let wait = try await accounts.emailChanges.begin(
            person.subject,
            to: email,
            by: right(of: person),
            for: caller
        ) {
            page.errors.add("email", Phrase("hosted.registration.limited"))
            var response = pages.respond(page, status: .tooManyRequests)
            response.append(.retryAfter, String(max(1, wait.components.seconds)))
            return response
        }
        // Accounts of the system team are those of the console.
        let mayKnow = person.team.isSandbox || person.team.id == .system
        let sent = MessagePage.mailSent(
            to: page.email,
            isKept: mayKnow && !context.sendsMail,
            frame(Phrase("hosted.mail.sent-title"), person),
            next: (TeamRoutes.account.link(person.team.id), Phrase("hosted.account.title").asWords)
        )
        return pages.respond(sent)
    }

    private func emailPage(_ person: Person, login: String) -> EmailPage {
        EmailPage(
            frame: frame(Phrase("hosted.email.title"), person),
            action: TeamRoutes.ownEmail.link(person.team.id),
            formToken: formToken(person),
            backURL: TeamRoutes.account.link(person.team.id),
            login: login
        )
    }
}
