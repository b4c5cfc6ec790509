import Core
import Directory
import HTTP
import OAuth
import Platform

// The link to a new password.
extension MailedLinks {
    func showPasswordLink(_ follower: MailedLinkContext) async throws -> Response {
        guard let user = try await recovery.person(follower.token, for: follower.caller) else {
            return linkExpired(follower)
        }
        return steps.pages.respond(newPasswordPage(follower, user))
    }

    func followPasswordLink(_ follower: MailedLinkContext) async throws -> Response {
        let form = try steps.site.form(of: follower.request, from: follower.browserContext.browser)
        guard let user = try await recovery.person(follower.token, for: follower.caller) else {
            return linkExpired(follower)
        }
        var page = newPasswordPage(follower, user)
        let rule = PasswordRule(in: follower.team.id, email: user.email, name: user.name, around: [follower.team.name])
        let chosen = try await page.errors.take(form["new"] ?? "", by: rule, passwordChoice(of: follower))
        guard let chosen else { return steps.pages.respond(page, status: .unprocessableContent) }
        switch try await recovery.change(follower.token, to: chosen, for: follower.caller) {
        case .changed(let person):
            var response = steps.pages.respond(
                done(follower, Message("hosted.mail.password-title"), Message("hosted.mail.password")))
            // Otherwise an attacker who locks the account would keep its owner from signing in with the new password.
            if let login = person.email?.rawValue {
                let (request, browserContext) = (follower.request, follower.browserContext)
                response.set(steps.sessionIssuer.remember(login, of: person, request, follower.team.id, browserContext))
            }
            return response
        case .expired: return linkExpired(follower)
        case .busy: throw UserFacingError.unavailable
        }
    }

    private func newPasswordPage(_ follower: MailedLinkContext, _ user: User) -> NewPasswordPage {
        NewPasswordPage(
            frame: steps.pages.frame(
                Message("hosted.recovery.new-title"), of: follower.team, in: follower.caller.language),
            action: TeamRoutes.passwordLink.link(follower.team.id, follower.token),
            formToken: steps.site.formTokens.token(for: follower.browserContext.browser),
            login: user.email?.rawValue ?? "")
    }
}
