import Accounts
import Core
import Crypto
import Directory
import Federation
import HTTP
import OAuth
import Platform
import Templates

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
            hash = try await steps.accounts.hasher.hash(password, for: person.team.id, from: person.visit.origin)
        } catch { throw UserFacingError.unavailable }
        try await steps.accounts.passwords.change(
            to: hash, by: steps.right(of: person), in: person.team.id, from: person.visit.origin,
            telling: steps.factorPost(person))
        var response = steps.home(person, .passwordChanged)
        response.set(steps.sessionIssuer.remember(login, of: user, after: 1, person.visit))
        return response
    }

    private func passwordChoice(of person: SignedInUser) -> PasswordChoice {
        PasswordChoice(
            in: "new", of: person.team.id, from: person.visit.origin, at: steps.server.clock(),
            with: steps.accounts.newPasswords)
    }

    private func passwordPage(_ person: SignedInUser, login: String) -> PasswordPage {
        PasswordPage(
            form: steps.form(
                Message("hosted.password.title"), to: TeamRoutes.ownPassword.link(person.team.id), for: person),
            login: login)
    }
}

/// Reason why the user's current password was rejected.
struct OwnPasswordRefusal: Sendable {
    let words: Message
    let status: Status
    let retryAfter: Int?

    /// Returns nil if the password is correct and belongs to the user.
    init?(_ result: SignInResult, of subject: Subject) {
        if case .success(let user, _) = result, user.subject == subject { return nil }
        let refusal = SignInRefusal(result)
        let isWrong = refusal.retryAfter == nil
        words = isWrong ? Message("hosted.password.wrong") : refusal.words
        status = isWrong ? .unprocessableContent : refusal.status
        retryAfter = refusal.retryAfter
    }
}

/// Form for a new password, from a mailed link.
struct NewPasswordPage: FormPage {
    static let template = "hosted/new-password"
    static let fields = formFields.with {
        $0.text("login") { $0.login }
        $0.group("password", Input.fields) { page in .newPassword(in: page.frame.team, page.errors) }
    }

    let form: HostedForm
    /// Login name under which password managers store the password.
    let login: String
    var errors = FieldErrors()
}

/// Form to change the password.
struct PasswordPage: FormPage {
    static let template = "hosted/account-password"
    static let fields = formFields.with {
        $0.text("login") { $0.login }
        $0.group("current", Input.fields) { .currentPassword("current", $0.errors) }
        $0.group("new", Input.fields) { page in .newPassword(in: page.frame.team, page.errors) }
    }

    let form: HostedForm
    /// Login name under which password managers store the password.
    let login: String
    var errors = FieldErrors()
}
