import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Tenancy
import Web

// Accounts of people whom the team has invited.
extension HostedEndpoints {
    func showInvitationLink(_ follower: Follower) async throws -> Response {
        guard let email = try await invitedAddress(follower) else { return over(follower) }
        return pages.respond(invitedPage(follower, email))
    }

    /// Makes the account.
    func followInvitationLink(_ follower: Follower) async throws -> Response {
        let form = try site.form(of: follower.request, from: follower.visitor.browser)
        guard let email = try await invitedAddress(follower) else { return over(follower) }
        var page = invitedPage(follower, email)
        let chosen = try await page.read(form, for: email, in: follower.team, passwordChoice(of: follower))
        guard let chosen else { return page.errors.refuse { pages.respond(page, status: $0) } }
        return try await register(follower, chosen.name, chosen.password)
    }

    private func register(
        _ follower: Follower,
        _ name: PersonName,
        _ password: NewPassword
    ) async throws -> Response {
        let team = follower.team.name
        switch try await invitedRegistrations.register(
            follower.token,
            as: name,
            password: password,
            for: follower.caller
        ) {
        case .made:
            let message = Phrase("hosted.invitation.done", ["team": team])
            return pages.respond(done(follower, Phrase("hosted.mail.registered-title"), message))
        case .known:
            let message = Phrase("hosted.invitation.known", ["team": team])
            return pages.respond(done(follower, Phrase("hosted.invitation.known-title"), message))
        case .over: return over(follower)
        case .busy: throw Problem.unavailable
        }
    }

    /// The address that was invited, while the link works and the team lets anybody in.
    private func invitedAddress(_ follower: Follower) async throws -> EmailAddress? {
        guard follower.team.registration != .off else { return nil }
        return try await invitedRegistrations.address(follower.token, for: follower.caller)
    }

    private func invitedPage(_ follower: Follower, _ email: EmailAddress) -> InvitedPage {
        InvitedPage(
            frame: pages.frame(
                Phrase("hosted.invitation.title"),
                of: follower.team,
                in: follower.caller.language
            ),
            action: TeamRoutes.invitationLink.link(follower.team.id, follower.token),
            formToken: site.formTokens.token(for: follower.visitor.browser),
            lead: Phrase("hosted.invitation.lead", ["team": follower.team.name]).asWords,
            emailHint: Phrase("hosted.invitation.email-hint").asWords,
            email: email.rawValue
        )
    }
}
