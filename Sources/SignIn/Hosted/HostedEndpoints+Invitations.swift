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
        (page.given, page.family) = (form["given_name"] ?? "", form["family_name"] ?? "")
        let name = page.errors.require(
            PersonName(given: page.given, family: page.family),
            "given_name",
            Phrase("hosted.consent.name-wrong")
        )
        var password: NewPassword?
        do throws(NewPassword.Problem) {
            password = try NewPassword(form["new"] ?? "", email: email)
        } catch {
            page.errors.add("new", error.words)
        }
        guard let name, let password else { return pages.respond(page, status: .unprocessableContent) }
        return try await register(follower, name, password)
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
            email: email.rawValue
        )
    }
}
