import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import Web

// Mailed links. Following one shows a page; its button does what the link is for, once.
extension HostedEndpoints {
    /// Somebody who followed a mailed link, in whatever browser reads their mail.
    struct Follower: Sendable {
        let request: Request
        let team: TeamSnapshot
        let visitor: Visitor
        let token: LinkToken
        let caller: AccountCaller
    }

    /// Finds the team and the browser of a mailed link.
    func follow(
        _ request: Request,
        _ teamID: TeamID,
        _ token: LinkToken,
        _ body: (Follower) async throws -> Response
    ) async throws -> Response {
        guard let team = try await teams.snapshot(of: teamID) else { throw Problem.notFound }
        let visitor = try await visitor(request, team)
        let caller = AccountCaller(
            team: teamID,
            language: request.language,
            origin: request.auditOrigin,
            now: engine.clock()
        )
        let follower = Follower(request: request, team: team, visitor: visitor, token: token, caller: caller)
        var response = try await body(follower)
        if visitor.isNewBrowser { response.set(site.browserCookie(visitor.browser)) }
        return response
    }

    func showRegistrationLink(_ follower: Follower) async throws -> Response {
        guard try await registrations.isOpen(follower.token, for: follower.caller) else {
            return over(follower)
        }
        let page = linkPage(
            follower,
            Phrase("hosted.mail.confirm-title"),
            Phrase("hosted.mail.confirm-registration", ["team": follower.team.name]),
            action: TeamRoutes.registrationLink.link(follower.team.id, follower.token)
        )
        return pages.respond(page)
    }

    /// Makes the account.
    ///
    /// In the browser that asked for it the sign-in goes on.
    func followRegistrationLink(_ follower: Follower) async throws -> Response {
        _ = try site.form(of: follower.request, from: follower.visitor.browser)
        guard let made = try await registrations.confirm(follower.token, for: follower.caller) else {
            return over(follower)
        }
        if let context = try await attempt(made.attempt, of: follower) {
            return try await keepFirstProof(
                of: made.user,
                by: .password,
                login: made.login.rawValue,
                context
            )
        }
        return pages.respond(
            done(
                follower,
                Phrase("hosted.mail.registered-title"),
                Phrase("hosted.mail.registered", ["team": follower.team.name])
            )
        )
    }

    func showPasswordLink(_ follower: Follower) async throws -> Response {
        guard let user = try await recovery.person(follower.token, for: follower.caller) else {
            return over(follower)
        }
        return pages.respond(newPasswordPage(follower, user))
    }

    func followPasswordLink(_ follower: Follower) async throws -> Response {
        let form = try site.form(of: follower.request, from: follower.visitor.browser)
        guard let user = try await recovery.person(follower.token, for: follower.caller) else {
            return over(follower)
        }
        switch try await recovery.change(follower.token, to: form["new"] ?? "", for: follower.caller) {
        case .changed:
            return pages.respond(
                done(follower, Phrase("hosted.mail.password-title"), Phrase("hosted.mail.password"))
            )
        case .over: return over(follower)
        case .busy: throw Problem.unavailable
        case .refused(let problem):
            var page = newPasswordPage(follower, user)
            page.problem = problem.words.asWords
            return pages.respond(page, status: .unprocessableContent)
        }
    }

    func showEmailLink(_ follower: Follower) async throws -> Response {
        guard try await emailChanges.isOpen(follower.token, for: follower.caller) else {
            return over(follower)
        }
        let page = linkPage(
            follower,
            Phrase("hosted.mail.confirm-title"),
            Phrase("hosted.mail.confirm-email", ["team": follower.team.name]),
            action: TeamRoutes.emailLink.link(follower.team.id, follower.token)
        )
        return pages.respond(page)
    }

    func followEmailLink(_ follower: Follower) async throws -> Response {
        _ = try site.form(of: follower.request, from: follower.visitor.browser)
        guard try await emailChanges.confirm(follower.token, for: follower.caller) else {
            return over(follower)
        }
        return pages.respond(done(follower, Phrase("hosted.mail.email-title"), Phrase("hosted.mail.email")))
    }

    /// The sign-in that a link belongs to, where the follower's browser is the one that began it.
    private func attempt(_ name: String?, of follower: Follower) async throws -> Context? {
        guard let id = name.flatMap(AttemptID.init(rawValue:)),
            let attempt = try await flow.find(
                id,
                browserHash: follower.visitor.browserHash,
                in: follower.team.id
            )
        else { return nil }
        return Context(
            request: follower.request,
            team: follower.team,
            attempt: attempt,
            client: attempt.app.flatMap { follower.team.client($0.clientID) },
            visitor: follower.visitor
        )
    }

    func over(_ follower: Follower) -> Response {
        pages.respond(.linkOver, to: follower.request, of: follower.team)
    }

    private func linkPage(
        _ follower: Follower,
        _ title: Phrase,
        _ message: Phrase,
        action: String
    ) -> LinkPage {
        LinkPage(
            frame: pages.frame(title, of: follower.team, in: follower.caller.language),
            message: message.asWords,
            button: Phrase("hosted.mail.confirm").asWords,
            action: action,
            formToken: site.formTokens.token(for: follower.visitor.browser)
        )
    }

    private func newPasswordPage(_ follower: Follower, _ user: User) -> NewPasswordPage {
        NewPasswordPage(
            frame: pages.frame(
                Phrase("hosted.recovery.new-title"),
                of: follower.team,
                in: follower.caller.language
            ),
            action: TeamRoutes.passwordLink.link(follower.team.id, follower.token),
            formToken: site.formTokens.token(for: follower.visitor.browser),
            login: user.email?.rawValue ?? ""
        )
    }

    func done(_ follower: Follower, _ title: Phrase, _ message: Phrase) -> MessagePage {
        MessagePage(
            frame: pages.frame(title, of: follower.team, in: follower.caller.language),
            message: message.asWords,
            next: (TeamRoutes.session.link(follower.team.id), Phrase("hosted.sign-in.submit").asWords)
        )
    }
}

extension Problem {
    /// The link was used, is too old, or never was.
    static let linkOver = Problem(
        .gone,
        Phrase("hosted.problems.link-over.headline"),
        Phrase("hosted.problems.link-over.message"),
        advice: Phrase("hosted.problems.link-over.advice")
    )
}
