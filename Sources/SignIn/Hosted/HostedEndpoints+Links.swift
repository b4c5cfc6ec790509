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

    /// Finds the team and the browser of a mailed link; there is none where nobody signs in at pages of ours.
    func follow(
        _ request: Request,
        _ teamID: TeamID,
        _ token: LinkToken,
        _ body: (Follower) async throws -> Response
    ) async throws -> Response {
        guard let team = try await teams.snapshot(of: teamID), team.hasDirectory else {
            throw Problem.notFound
        }
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

    /// In the browser that registered a button confirms; in any other the person chooses what the account is to have.
    func showRegistrationLink(_ follower: Follower) async throws -> Response {
        guard let pending = try await pending(follower) else { return over(follower) }
        if !pending.isOwn { return pages.respond(choicePage(follower, pending)) }
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
        let form = try site.form(of: follower.request, from: follower.visitor.browser)
        guard let pending = try await pending(follower) else { return over(follower) }
        var choice: AccountRegistrations.Choice?
        if !pending.isOwn {
            var page = choicePage(follower, pending)
            let chosen = try await page.read(
                form,
                for: pending.email,
                in: follower.team,
                passwordChoice(of: follower)
            )
            guard let chosen else { return page.errors.refuse { pages.respond(page, status: $0) } }
            choice = AccountRegistrations.Choice(name: chosen.name, password: chosen.password)
        }
        let hash = follower.visitor.browserHash
        let outcome = try await registrations.confirm(
            follower.token,
            in: hash,
            choosing: choice,
            for: follower.caller
        )
        switch outcome {
        case .made(let made): return try await goOn(made, isOwn: pending.isOwn, follower)
        case .over, .unchosen: return over(follower)
        case .busy: throw Problem.unavailable
        }
    }

    private func goOn(
        _ made: AccountRegistrations.Made,
        isOwn: Bool,
        _ follower: Follower
    ) async throws -> Response {
        if isOwn, let context = try await attempt(made.attempt, of: follower) {
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

    private func pending(_ follower: Follower) async throws -> AccountRegistrations.Pending? {
        try requireOpen(follower.team)
        return try await registrations.pending(
            follower.token,
            in: follower.visitor.browserHash,
            for: follower.caller
        )
    }

    private func choicePage(_ follower: Follower, _ pending: AccountRegistrations.Pending) -> InvitedPage {
        var page = InvitedPage(
            frame: pages.frame(
                Phrase("hosted.mail.choose-title"),
                of: follower.team,
                in: follower.caller.language
            ),
            action: TeamRoutes.registrationLink.link(follower.team.id, follower.token),
            formToken: site.formTokens.token(for: follower.visitor.browser),
            lead: Phrase("hosted.mail.choose").asWords,
            emailHint: Phrase("hosted.mail.choose-email-hint").asWords,
            email: pending.email.rawValue
        )
        (page.given, page.family) = (pending.name.given, pending.name.family)
        return page
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
        var page = newPasswordPage(follower, user)
        let rule = PasswordRule(
            in: follower.team.id,
            email: user.email,
            name: user.name,
            around: [follower.team.name]
        )
        let chosen = try await page.errors.take(form["new"] ?? "", by: rule, passwordChoice(of: follower))
        guard let chosen else { return page.errors.refuse { pages.respond(page, status: $0) } }
        switch try await recovery.change(follower.token, to: chosen, for: follower.caller) {
        case .changed(let person):
            var response = pages.respond(
                done(follower, Phrase("hosted.mail.password-title"), Phrase("hosted.mail.password"))
            )
            // Else whoever locks the account would keep its owner from signing in by the password just chosen.
            if let login = person.email?.rawValue {
                let (request, visitor) = (follower.request, follower.visitor)
                response.set(door.remember(login, of: person, request, follower.team.id, visitor))
            }
            return response
        case .over: return over(follower)
        case .busy: throw Problem.unavailable
        }
    }

    /// The password that whoever follows a link chooses.
    func passwordChoice(of follower: Follower) -> PasswordChoice {
        PasswordChoice(
            in: "new",
            by: .holder(follower.token),
            in: follower.team.id,
            from: follower.caller.origin,
            at: follower.caller.now,
            with: newPasswords
        )
    }

    /// The sign-in that a link belongs to, where the follower's browser is the one that began it.
    func attempt(_ name: String?, of follower: Follower) async throws -> Context? {
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

    func linkPage(
        _ follower: Follower,
        _ title: Phrase,
        _ message: Phrase,
        button: Phrase = Phrase("hosted.mail.confirm"),
        action: String
    ) -> LinkPage {
        LinkPage(
            frame: pages.frame(title, of: follower.team, in: follower.caller.language),
            message: message.asWords,
            button: button.asWords,
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
