import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import Templates

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
            return steps.pages.respond(page, status: refusal.status, retryAfter: refusal.retryAfter)
        }
        try await steps.accounts.emailChanges.begin(
            person.subject, to: email, by: steps.right(of: person), for: person.visit.caller(in: person.language))
        // Accounts of the system team belong to users of the console, who may know that the server sends no mail.
        let mayKnow = person.team.isSandbox || person.team.id == .system
        let sent = MessagePage.mailSent(
            to: page.email, isKept: mayKnow && !steps.server.sendsMail,
            steps.frame(Message("hosted.mail.sent-title"), person),
            next: (TeamRoutes.account.link(person.team.id), Message("hosted.account.title")))
        return steps.pages.respond(sent)
    }

    private func emailPage(_ person: SignedInUser, login: String) -> EmailPage {
        EmailPage(
            form: steps.form(Message("hosted.email.title"), to: TeamRoutes.ownEmail.link(person.team.id), for: person),
            login: login)
    }
}

/// Form to change the email address.
struct EmailPage: FormPage {
    static let template = "hosted/account-email"
    static let fields = formFields.with {
        $0.text("login") { $0.login }
        $0.group("email", Input.fields) { page in
            Input(
                "email", Message("hosted.email.new"), page.email, as: .line("email"), autocomplete: "email",
                errors: page.errors)
        }
        $0.group("current", Input.fields) { .currentPassword("current", $0.errors) }
    }

    let form: HostedForm
    let login: String
    var email = ""
    var errors = FieldErrors()
}
