import Core
import Directory
import HTTP
import OAuth
import Platform

// Mailed links that require a session or lead to one: change of the email address, and sign-in by mail.
extension MailedLinks {
    func showEmailLink(_ follower: MailedLinkContext) async throws -> Response {
        guard let subject = try await emailChanges.person(follower.token, for: follower.caller) else {
            return linkExpired(follower)
        }
        guard follower.subject == subject else { return signInFirst(follower) }
        let page = linkPage(
            follower, Message("hosted.mail.confirm-title"),
            Message("hosted.mail.confirm-email", ["team": follower.team.name]),
            action: TeamRoutes.emailLink.link(follower.team.id, follower.token))
        return steps.pages.respond(page)
    }

    /// Changes the email address of the user whose session the browser has.
    func followEmailLink(_ follower: MailedLinkContext) async throws -> Response {
        _ = try steps.site.form(of: follower.request, from: follower.browserContext.browser)
        guard let subject = try await emailChanges.person(follower.token, for: follower.caller) else {
            return linkExpired(follower)
        }
        guard let session = follower.browserContext.session, session.user.subject == subject else {
            return signInFirst(follower)
        }
        let right = SessionRight(session, in: follower.team.id, clock: steps.server.clock)
        do {
            guard try await emailChanges.confirm(follower.token, by: right, for: follower.caller) else {
                return linkExpired(follower)
            }
        } catch is SessionRight.Ended { return .redirect(to: signInURL(follower)) }
        return steps.pages.respond(done(follower, Message("hosted.mail.email-title"), Message("hosted.mail.email")))
    }

    /// Requires a sign-in to the account that changes its address, because a reader of the mail may have been tricked
    /// into confirming the change of another account.
    private func signInFirst(_ follower: MailedLinkContext) -> Response {
        let message =
            follower.subject == nil ? Message("hosted.mail.sign-in-first") : Message("hosted.mail.sign-in-other")
        let page = MessagePage(
            frame: steps.pages.frame(
                Message("hosted.mail.sign-in-first-title"), of: follower.team, in: follower.caller.language),
            message: message.localizedText, next: (signInURL(follower), Message("hosted.sign-in.submit").localizedText))
        return steps.pages.respond(page, status: .forbidden)
    }

    /// Address of a sign-in that leads back to the link.
    private func signInURL(_ follower: MailedLinkContext) -> String {
        let team = follower.team.id
        let back = PercentCoding.encode(TeamRoutes.emailLink.link(team, follower.token))
        return "\(TeamRoutes.session.link(team))?next=\(back)"
    }

    func showSignInLink(_ follower: MailedLinkContext) async throws -> Response {
        let hash = follower.browserContext.browserHash
        switch try await mailedSignIns.find(follower.token, in: hash, for: follower.caller) {
        case .own(let email):
            let page = linkPage(
                follower, Message("hosted.mail.sign-in-title"), Message("hosted.mail.sign-in", ["email": email.shown]),
                button: Message("hosted.mail.sign-in-submit"),
                action: TeamRoutes.signInLink.link(follower.team.id, follower.token))
            return steps.pages.respond(page)
        case .foreign: return elsewhere(follower)
        case nil: return linkExpired(follower)
        }
    }

    /// Stores the link as the first proof of the interaction that requested it or, if that has ended, of a new one that
    /// leads to the account page.
    func followSignInLink(_ follower: MailedLinkContext) async throws -> Response {
        _ = try steps.site.form(of: follower.request, from: follower.browserContext.browser)
        let hash = follower.browserContext.browserHash
        let proved = try await mailedSignIns.prove(follower.token, in: hash, for: follower.caller)
        guard let proved else { return try await showSignInLink(follower) }
        let context: InteractionContext
        if let own = try await interaction(proved.interaction, of: follower) {
            context = own
        } else {
            context = try await beginAccount(follower)
        }
        return try await steps.keepFirstProof(of: proved.user, by: .mailedLink, login: proved.login.rawValue, context)
    }

    /// Rejects a link that another browser requested, because the reader may not be the person who requested it.
    private func elsewhere(_ follower: MailedLinkContext) -> Response {
        let page = MessagePage(
            frame: steps.pages.frame(
                Message("hosted.mail.foreign-title"), of: follower.team, in: follower.caller.language),
            message: Message("hosted.mail.foreign").localizedText,
            next: (TeamRoutes.session.link(follower.team.id), Message("hosted.sign-in.submit").localizedText))
        return steps.pages.respond(page, status: .conflict)
    }

    private func beginAccount(_ follower: MailedLinkContext) async throws -> InteractionContext {
        let interaction = steps.interactions.open(next: nil, language: follower.request.languageTags())
        let hash = follower.browserContext.browserHash
        try await steps.interactions.begin(interaction, browserHash: hash, in: follower.team.id)
        return InteractionContext(
            request: follower.request, team: follower.team, interaction: interaction,
            browserContext: follower.browserContext)
    }
}

extension MailedLinkContext {
    /// User of the browser's session.
    fileprivate var subject: Subject? { browserContext.session?.user.subject }
}
