import Core
import Directory
import HTTP
import OAuth
import Platform
import Registry

// Accounts of users whom the team has invited.
extension MailedLinks {
    func showInvitationLink(_ follower: MailedLinkContext) async throws -> Response {
        guard let email = try await invitedAddress(follower) else { return linkExpired(follower) }
        return steps.pages.respond(invitedPage(follower, email))
    }

    /// Creates the account.
    func followInvitationLink(_ follower: MailedLinkContext) async throws -> Response {
        let form = try steps.site.form(of: follower.request, from: follower.browserContext.browser)
        guard let email = try await invitedAddress(follower) else { return linkExpired(follower) }
        var page = invitedPage(follower, email)
        let chosen = try await page.read(form, for: email, in: follower.team, passwordChoice(of: follower))
        guard let chosen else { return steps.pages.respond(page, status: .unprocessableContent) }
        return try await register(follower, chosen.name, chosen.password)
    }

    private func register(_ follower: MailedLinkContext, _ name: PersonName, _ password: NewPassword) async throws
        -> Response
    {
        let team = follower.team.name
        switch try await invitedRegistrations.register(
            follower.token, as: name, password: password, for: follower.caller)
        {
        case .made:
            let message = Message("hosted.invitation.done", ["team": team])
            return steps.pages.respond(done(follower, Message("hosted.mail.registered-title"), message))
        case .known:
            let message = Message("hosted.invitation.known", ["team": team])
            return steps.pages.respond(done(follower, Message("hosted.invitation.known-title"), message))
        case .expired: return linkExpired(follower)
        case .busy: throw UserFacingError.unavailable
        }
    }

    /// The invited address; nil if the link is invalid or the team has turned registration off.
    private func invitedAddress(_ follower: MailedLinkContext) async throws -> EmailAddress? {
        guard follower.team.registration != .off else { return nil }
        return try await invitedRegistrations.address(follower.token, for: follower.caller)
    }

    private func invitedPage(_ follower: MailedLinkContext, _ email: EmailAddress) -> InvitedPage {
        InvitedPage(
            frame: steps.pages.frame(
                Message("hosted.invitation.title"), of: follower.team, in: follower.caller.language),
            action: TeamRoutes.invitationLink.link(follower.team.id, follower.token),
            formToken: steps.site.formTokens.token(for: follower.browserContext.browser),
            lead: Message("hosted.invitation.lead", ["team": follower.team.name]).localizedText,
            emailHint: Message("hosted.invitation.email-hint").localizedText, email: email.shown,
            languages: follower.request.languageTags())
    }
}
