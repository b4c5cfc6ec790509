import Core
import Crypto
import Directory
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Handlers of an invitation link, which joins the team with the signed-in account or with a new one.
struct InvitationAcceptancePages: ConsolePages {
    let parts: Console.Parts

    private var accessControl: AccessControl { AccessControl(parts: parts) }
    private var acceptance: InvitationAcceptance { InvitationAcceptance(database, parts.system) }

    func mount(on router: inout ConsoleRouter) {
        router.getForEverybody(MemberRoutes.invitation) { try await ask($0, $1) }
        router.postForEverybody(MemberRoutes.invitation) { try await join($0, $1) }
    }

    private func ask(_ request: Request, _ text: String) async throws -> Response {
        guard let token = LinkToken(text: text), let open = try await acceptance.find(token, at: server.clock()) else {
            return gone
        }
        let browser = accessControl.browser(of: request)
        let context = try await accessControl.context(request)
        var response = site.respond(view(open, token, browser.secret, context))
        if browser.isNew { response.set(site.browserCookie(browser.secret)) }
        return response
    }

    /// Accepts an invitation.
    ///
    /// The link is checked first, so that no request without a valid link makes the server check or hash a password.
    private func join(_ request: Request, _ text: String) async throws -> Response {
        let browser = accessControl.browser(of: request)
        let fields = try accessControl.form(of: request, from: browser.secret)
        guard let token = LinkToken(text: text), let open = try await acceptance.find(token, at: server.clock()) else {
            return gone
        }
        do { return try await join(token, open, fields, request, browser.secret) } catch MembershipStore.Failure
            .teamFull
        { return full }
    }

    private func join(_ token: LinkToken, _ open: OpenInvitation, _ fields: Form, _ request: Request, _ browser: String)
        async throws -> Response
    {
        if let context = try await accessControl.context(request) { return try await join(token, open, context) }
        var form = InvitationForm()
        // Before the password is judged and hashed.
        if try await LoginNameStore(database: database).isTaken(LoginName(open.invitation.email), in: .system) {
            form.refuseAddress()
            return refuse(form, open, token, browser)
        }
        let accepted = try await form.read(
            fields, for: open.invitation.email, to: open.team.settings.name.rawValue,
            .ofConsole(request, at: server.clock(), with: parts.newPasswords))
        guard let accepted else { return refuse(form, open, token, browser) }
        do { return try await join(token, open, accepted, request, browser) } catch UserStore.Failure.loginTaken {
            form.refuseAddress()
            return refuse(form, open, token, browser)
        } catch is PasswordHasher.Busy { throw UserFacingError.unavailable }
    }

    /// Joins with the signed-in account, and renews the session token because the account gains rights.
    private func join(_ token: LinkToken, _ open: OpenInvitation, _ context: AccountContext) async throws -> Response {
        let outcome = try await acceptance.accept(
            token, as: context.account.subject, from: context.origin, at: server.clock())
        let team = open.team.settings.name.rawValue
        switch outcome {
        case .gone: return gone
        case .memberAlready(let id):
            let flash = Flash.warn(Message("console.invitation.flash.already", ["team": team]))
            return context.redirect(to: ConsoleRoutes.overview.link(id), saying: flash)
        case .joined(let id):
            let flash = Flash.good(Message("console.invitation.flash.joined", ["team": team]))
            var response = context.redirect(to: ConsoleRoutes.overview.link(id), saying: flash)
            let renewed = try await parts.sessions.renew(context.account.sessionToken, in: .system, at: server.clock())
            if let renewed { response.set(SessionCookie.make(renewed, site.cookies)) }
            return response
        }
    }

    /// Joins with a new account and signs it in; where its role requires a second factor, the session gives no access
    /// until the account has one.
    private func join(
        _ token: LinkToken, _ open: OpenInvitation, _ accepted: (name: PersonName, password: NewPassword),
        _ request: Request, _ browser: String
    ) async throws -> Response {
        let hash = try await parts.hasher.hash(accepted.password, for: open.team.id, from: request.auditOrigin)
        let joined = try await acceptance.accept(token, from: request.auditOrigin, at: server.clock()) {
            email, change in
            let person = NewUser(name: accepted.name, email: email, isEmailVerified: true, password: hash)
            return try await users.create(person, change)
        }
        guard let joined else { return gone }
        let session = try await parts.sessions.begin(
            for: joined.account, in: .system, from: request.auditOrigin, at: server.clock())
        var response = Response.redirect(to: ConsoleRoutes.overview.link(joined.team))
        let welcome = Flash.good(Message("console.invitation.flash.joined", ["team": open.team.settings.name.rawValue]))
        response.set(welcome.cookie(for: browser, site))
        response.set(SessionCookie.make(session, site.cookies))
        return response
    }

    private func view(_ open: OpenInvitation, _ token: LinkToken, _ browser: String, _ context: AccountContext?)
        -> InvitationPage
    {
        let action = MemberRoutes.invitation.link(token.text)
        let team = open.team.settings.name.rawValue
        return InvitationPage(
            frame: SetupFrame(
                title: Message("console.invitation.title", ["team": team]).localizedText, assets: site.assets),
            open: open, action: action, formToken: site.formTokens.token(for: browser),
            signInURL: "\(TeamRoutes.session.link(.system))?next=\(PercentCoding.encode(action))",
            person: context?.account.person)
    }

    private func refuse(_ form: InvitationForm, _ open: OpenInvitation, _ token: LinkToken, _ browser: String)
        -> Response
    {
        var view = view(open, token, browser, nil)
        view.form = form
        return site.respond(view, status: .unprocessableContent)
    }

    private var gone: Response {
        let message = Message("console.invitation.gone")
        return turnAway(Message("console.invitation.gone.title"), message, status: .gone)
    }

    /// Error page for a team at its member limit; the invitation stays valid, and works when a member has left.
    private var full: Response {
        let message = Message("console.invitation.full", ["limit": Quota.members.count])
        return turnAway(Message("console.invitation.full.title"), message, status: .conflict)
    }

    private func turnAway(_ title: Message, _ message: Message, status: Status) -> Response {
        let frame = SetupFrame(title: title.localizedText, assets: site.assets)
        return site.respond(InvitationGonePage(frame: frame, message: message), status: status)
    }

    static var views: [any View.Type] { [InvitationPage.self, InvitationGonePage.self] }
}
