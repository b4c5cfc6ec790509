import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Web

// Mailed links that want a session, or lead to one: another e-mail address, and signing in by mail.
extension HostedEndpoints {
    func showEmailLink(_ follower: Follower) async throws -> Response {
        guard let subject = try await emailChanges.person(follower.token, for: follower.caller) else {
            return over(follower)
        }
        guard follower.subject == subject else { return signInFirst(follower) }
        let page = linkPage(
            follower,
            Phrase("hosted.mail.confirm-title"),
            Phrase("hosted.mail.confirm-email", ["team": follower.team.name]),
            action: TeamRoutes.emailLink.link(follower.team.id, follower.token)
        )
        return pages.respond(page)
    }

    /// Changes the address of the person whose session the browser has.
    func followEmailLink(_ follower: Follower) async throws -> Response {
        _ = try site.form(of: follower.request, from: follower.visitor.browser)
        guard let subject = try await emailChanges.person(follower.token, for: follower.caller) else {
            return over(follower)
        }
        guard let session = follower.visitor.session, session.user.subject == subject else {
            return signInFirst(follower)
        }
        let right = SessionRight(session, in: follower.team.id, clock: engine.clock)
        do {
            guard try await emailChanges.confirm(follower.token, by: right, for: follower.caller) else {
                return over(follower)
            }
        } catch is SessionRight.Over {
            return .redirect(to: signInURL(follower))
        }
        return pages.respond(done(follower, Phrase("hosted.mail.email-title"), Phrase("hosted.mail.email")))
    }

    /// Asks for the account whose address is to change: who has only the mail may have been made to confirm somebody
    /// else's.
    private func signInFirst(_ follower: Follower) -> Response {
        let message =
            follower.subject == nil
            ? Phrase("hosted.mail.sign-in-first") : Phrase("hosted.mail.sign-in-other")
        let page = MessagePage(
            frame: pages.frame(
                Phrase("hosted.mail.sign-in-first-title"),
                of: follower.team,
                in: follower.caller.language
            ),
            message: message.asWords,
            next: (signInURL(follower), Phrase("hosted.sign-in.submit").asWords)
        )
        return pages.respond(page, status: .forbidden)
    }

    /// Where somebody signs in who comes back to the link then.
    private func signInURL(_ follower: Follower) -> String {
        let team = follower.team.id
        let back = PercentCoding.encode(TeamRoutes.emailLink.link(team, follower.token))
        return "\(TeamRoutes.session.link(team))?next=\(back)"
    }

    func showSignInLink(_ follower: Follower) async throws -> Response {
        let hash = follower.visitor.browserHash
        switch try await mailedSignIns.find(follower.token, in: hash, for: follower.caller) {
        case .own(let email):
            let page = linkPage(
                follower,
                Phrase("hosted.mail.sign-in-title"),
                Phrase("hosted.mail.sign-in", ["email": email.rawValue]),
                button: Phrase("hosted.mail.sign-in-submit"),
                action: TeamRoutes.signInLink.link(follower.team.id, follower.token)
            )
            return pages.respond(page)
        case .foreign: return elsewhere(follower)
        case nil: return over(follower)
        }
    }

    /// Keeps the link as the first proof of the sign-in it was asked for in, or of one to the person's own page where
    /// that is over.
    func followSignInLink(_ follower: Follower) async throws -> Response {
        _ = try site.form(of: follower.request, from: follower.visitor.browser)
        let hash = follower.visitor.browserHash
        let proved = try await mailedSignIns.prove(follower.token, in: hash, for: follower.caller)
        guard let proved else { return try await showSignInLink(follower) }
        let context: Context
        if let own = try await attempt(proved.attempt, of: follower) {
            context = own
        } else {
            context = try await beginAccount(follower)
        }
        return try await keepFirstProof(
            of: proved.user,
            by: .mailedLink,
            login: proved.login.rawValue,
            context
        )
    }

    /// What one browser asked for signs in no other: its reader may not be who asked.
    private func elsewhere(_ follower: Follower) -> Response {
        let page = MessagePage(
            frame: pages.frame(
                Phrase("hosted.mail.foreign-title"),
                of: follower.team,
                in: follower.caller.language
            ),
            message: Phrase("hosted.mail.foreign").asWords,
            next: (TeamRoutes.session.link(follower.team.id), Phrase("hosted.sign-in.submit").asWords)
        )
        return pages.respond(page, status: .conflict)
    }

    private func beginAccount(_ follower: Follower) async throws -> Context {
        let attempt = flow.open(next: nil, language: follower.caller.language.tag)
        let hash = follower.visitor.browserHash
        try await flow.begin(attempt, browserHash: hash, in: follower.team.id)
        return Context(
            request: follower.request,
            team: follower.team,
            attempt: attempt,
            client: nil,
            visitor: follower.visitor
        )
    }
}

extension HostedEndpoints.Follower {
    /// Whose session the browser has.
    fileprivate var subject: Subject? { visitor.session?.user.subject }
}
