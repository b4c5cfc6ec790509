import Core
import Crypto
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
            return steps.pages.respond(page, status: refusal.status, retryAfter: refusal.retryAfter)
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
            next: (TeamRoutes.account.link(person.team.id), Message("hosted.account.title")))
        return steps.pages.respond(sent)
    }

    private func emailPage(_ person: SignedInUser, login: String) -> EmailPage {
        EmailPage(
            form: steps.form(Message("hosted.email.title"), to: TeamRoutes.ownEmail.link(person.team.id), for: person),
            login: login)
    }
}

/// Change of the password.
struct AccountPassword: Sendable {
    let steps: AccountSteps

    func askPassword(_ person: SignedInUser) async throws -> Response {
        steps.pages.respond(passwordPage(person, login: try await steps.login(of: person)))
    }

    /// Changes the password of a user who enters the current one, and ends the user's other sessions.
    ///
    /// The current password is verified first, so that only its owner can have new passwords assessed.
    func changePassword(_ person: SignedInUser) async throws -> Response {
        let form = try steps.form(of: person)
        let login = try await steps.login(of: person)
        var page = passwordPage(person, login: login)
        let user = person.session.user
        let rule = PasswordRule(
            in: person.team.id, email: user.email, login: LoginName(rawValue: login), name: user.name,
            around: [person.team.name])
        if let refusal = try await steps.refusal(of: form["current"] ?? "", login, person) {
            page.errors.add("current", refusal.words)
            return steps.pages.respond(page, status: refusal.status, retryAfter: refusal.retryAfter)
        }
        let chosen = try await page.errors.take(form["new"] ?? "", by: rule, passwordChoice(of: person))
        guard let password = chosen else { return steps.pages.respond(page, status: .unprocessableContent) }
        let hash: PasswordHash
        do throws(PasswordHasher.Busy) {
            hash = try await steps.accounts.hasher.hash(password, for: person.team.id)
        } catch { throw UserFacingError.unavailable }
        try await steps.accounts.passwords.change(
            to: hash, by: steps.right(of: person), in: person.team.id, from: person.request.auditOrigin,
            telling: steps.factorPost(person))
        var response = steps.home(person, .passwordChanged)
        response.set(
            steps.sessionIssuer.remember(
                login, of: user, after: 1, person.request, person.team.id, person.browserContext))
        return response
    }

    private func passwordChoice(of person: SignedInUser) -> PasswordChoice {
        PasswordChoice(
            in: "new", of: person.team.id, from: person.request.auditOrigin, at: steps.server.clock(),
            with: steps.accounts.newPasswords)
    }

    private func passwordPage(_ person: SignedInUser, login: String) -> PasswordPage {
        PasswordPage(
            form: steps.form(
                Message("hosted.password.title"), to: TeamRoutes.ownPassword.link(person.team.id), for: person),
            login: login)
    }
}
