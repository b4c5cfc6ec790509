import Core
import Directory
import HTTP
import OAuth
import Platform

// The link that verifies the address of a registration.
extension MailedLinks {
    /// Shows a button in the browser that registered; in any other, a form to choose the account's name and password.
    func showRegistrationLink(_ follower: MailedLinkContext) async throws -> Response {
        guard let pending = try await pending(follower) else { return linkExpired(follower) }
        if !pending.isOwn { return steps.pages.respond(choicePage(follower, pending)) }
        let page = linkPage(
            follower, Message("hosted.mail.confirm-title"),
            Message("hosted.mail.confirm-registration", ["team": follower.team.name]),
            action: TeamRoutes.registrationLink.link(follower.team.id, follower.token))
        return steps.pages.respond(page)
    }

    /// Creates the account.
    ///
    /// In the browser that registered, the sign-in continues; if it is over, the app's request begins anew.
    func followRegistrationLink(_ follower: MailedLinkContext) async throws -> Response {
        let form = try steps.site.form(of: follower.request, from: follower.browserContext.browser)
        guard let pending = try await pending(follower) else { return linkExpired(follower) }
        var choice: AccountRegistrations.Choice?
        if !pending.isOwn {
            var page = choicePage(follower, pending)
            let chosen = try await page.read(form, for: pending.email, in: follower.team, passwordChoice(of: follower))
            guard let chosen else { return steps.pages.respond(page, status: .unprocessableContent) }
            choice = AccountRegistrations.Choice(name: chosen.name, password: chosen.password)
        }
        let hash = follower.browserContext.browserHash
        let outcome = try await registrations.confirm(follower.token, in: hash, choosing: choice, for: follower.caller)
        switch outcome {
        case .made(let made): return try await continueRegistration(made, isOwn: pending.isOwn, follower)
        case .expired, .unchosen: return linkExpired(follower)
        case .busy: throw UserFacingError.unavailable
        }
    }

    private func continueRegistration(_ made: AccountRegistrations.Made, isOwn: Bool, _ follower: MailedLinkContext)
        async throws -> Response
    {
        var context = isOwn ? try await interaction(made.interaction, of: follower) : nil
        if isOwn, context == nil, let query = made.requestQuery {
            context = try await interaction(requestedBy: query, of: follower)
        }
        if let context {
            return try await steps.keepFirstProof(of: made.user, by: .password, login: made.login.rawValue, context)
        }
        return steps.pages.respond(
            done(
                follower, Message("hosted.mail.registered-title"),
                Message("hosted.mail.registered", ["team": follower.team.name])))
    }

    private func pending(_ follower: MailedLinkContext) async throws -> AccountRegistrations.Pending? {
        try follower.team.requireOpenRegistration()
        return try await registrations.pending(
            follower.token, in: follower.browserContext.browserHash, for: follower.caller)
    }

    private func choicePage(_ follower: MailedLinkContext, _ pending: AccountRegistrations.Pending) -> InvitedPage {
        var page = InvitedPage(
            frame: steps.pages.frame(
                Message("hosted.mail.choose-title"), of: follower.team, in: follower.caller.language),
            action: TeamRoutes.registrationLink.link(follower.team.id, follower.token),
            formToken: steps.site.formTokens.token(for: follower.browserContext.browser),
            lead: Message("hosted.mail.choose").localizedText,
            emailHint: Message("hosted.mail.choose-email-hint").localizedText, email: pending.email.shown,
            languages: follower.request.languageTags())
        (page.given, page.family) = (pending.name.given, pending.name.family)
        return page
    }
}
