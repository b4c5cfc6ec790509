import AuthEngine
import Bytes
import Crypto
import Directory
import Domain
import HTTP
import SignIn
import Templates
import Tenancy
import Web

/// From the link of an invitation into the team: with the account one has, or with a new one.
struct InvitationDoorPages: Sendable {
    private let reception: Reception
    private let site: Site
    private let context: EngineContext
    private let door: InvitationDoor
    private let users: UserStore
    private let sessions: SessionStore
    private let hasher: PasswordHasher
    private let newPasswords: NewPasswords
    private let page: LivePage<InvitationPage>
    private let joinedPage: LivePage<InvitationJoinedPage>
    private let gonePage: LivePage<InvitationGonePage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts, _ reception: Reception) throws(Diagnostics) {
        self.reception = reception
        site = parts.site
        context = parts.context
        door = InvitationDoor(parts.database, parts.system)
        users = UserStore(parts.database)
        sessions = parts.sessions
        hasher = parts.hasher
        newPasswords = NewPasswords(parts.database, hasher: parts.hasher)
        page = try parts.site.pages.page(InvitationPage.self)
        joinedPage = try parts.site.pages.page(InvitationJoinedPage.self)
        gonePage = try parts.site.pages.page(InvitationGonePage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.getForEverybody(MemberRoutes.invitation) { try await ask($0, $1) }
        router.postForEverybody(MemberRoutes.invitation) { try await join($0, $1) }
    }

    private func ask(_ request: Request, _ text: String) async throws -> Response {
        guard let token = LinkToken(text: text), let open = try await door.find(token, at: context.clock())
        else { return gone }
        let browser = reception.browser(of: request)
        let visit = try await reception.visit(request)
        var response = site.respond(page, view(open, token, browser.secret, visit))
        if browser.isNew { response.set(site.browserCookie(browser.secret)) }
        return response
    }

    /// The link is looked at first, so that nobody without one makes us judge or hash a password.
    private func join(_ request: Request, _ text: String) async throws -> Response {
        let browser = reception.browser(of: request)
        let fields = try reception.form(of: request, from: browser.secret)
        guard let token = LinkToken(text: text), let open = try await door.find(token, at: context.clock())
        else { return gone }
        do {
            return try await join(token, open, fields, request, browser.secret)
        } catch MembershipStore.Failure.teamFull {
            return full
        }
    }

    private func join(
        _ token: LinkToken,
        _ open: OpenInvitation,
        _ fields: Form,
        _ request: Request,
        _ browser: String
    ) async throws -> Response {
        if let visit = try await reception.visit(request) { return try await join(token, open, visit) }
        var form = InvitationForm()
        let accepted = try await form.read(
            fields,
            for: open.invitation.email,
            to: open.team.settings.name.rawValue,
            .ofConsole(by: token, request, at: context.clock(), with: newPasswords)
        )
        guard let accepted else { return refuse(form, open, token, browser) }
        do {
            return try await join(token, open, accepted, request)
        } catch UserStore.Failure.loginTaken {
            form.refuseAddress()
            return refuse(form, open, token, browser)
        } catch is PasswordHasher.Busy {
            throw Problem.unavailable
        }
    }

    /// Joining is a rise of rights: the session goes on under a new token.
    private func join(_ token: LinkToken, _ open: OpenInvitation, _ visit: Visit) async throws -> Response {
        let outcome = try await door.accept(
            token,
            as: visit.account.subject,
            from: visit.origin,
            at: context.clock()
        )
        let team = open.team.settings.name.rawValue
        switch outcome {
        case .gone: return gone
        case .memberAlready(let id):
            let flash = Flash.warn(Phrase("console.invitation.flash.already", ["team": team]))
            return visit.redirect(to: ConsoleRoutes.overview.link(id), saying: flash)
        case .joined(let id):
            let flash = Flash.good(Phrase("console.invitation.flash.joined", ["team": team]))
            var response = visit.redirect(to: ConsoleRoutes.overview.link(id), saying: flash)
            let renewed = try await sessions.renew(
                visit.account.sessionToken,
                in: .system,
                at: context.clock()
            )
            if let renewed { response.set(SessionCookie.make(renewed, site.cookies)) }
            return response
        }
    }

    /// A new account signs in as everybody does, so that no proof that is asked for is passed by.
    private func join(
        _ token: LinkToken,
        _ open: OpenInvitation,
        _ accepted: (name: PersonName, password: NewPassword),
        _ request: Request
    ) async throws -> Response {
        let hash = try await hasher.hash(accepted.password, for: .system)
        let origin = request.auditOrigin
        let joined = try await door.accept(token, from: origin, at: context.clock()) { email, transaction in
            let person = NewUser(
                name: accepted.name,
                email: email,
                isEmailVerified: true,
                password: hash
            )
            return try await users.create(
                person,
                in: .system,
                by: .system("invitation"),
                from: origin,
                transaction
            )
        }
        guard let joined else { return gone }
        let name = open.team.settings.name.rawValue
        let frame = SetupFrame(
            title: Phrase("console.invitation.joined.title", ["team": name]).asWords,
            assets: site.assets
        )
        return site.respond(joinedPage, InvitationJoinedPage(frame: frame, team: joined.team))
    }

    private func view(
        _ open: OpenInvitation,
        _ token: LinkToken,
        _ browser: String,
        _ visit: Visit?
    ) -> InvitationPage {
        let action = MemberRoutes.invitation.link(token.text)
        let team = open.team.settings.name.rawValue
        return InvitationPage(
            frame: SetupFrame(
                title: Phrase("console.invitation.title", ["team": team]).asWords,
                assets: site.assets
            ),
            open: open,
            action: action,
            formToken: site.formTokens.token(for: browser),
            signInURL: "\(TeamRoutes.session.link(.system))?next=\(PercentCoding.encode(action))",
            person: visit?.account.person
        )
    }

    private func refuse(
        _ form: InvitationForm,
        _ open: OpenInvitation,
        _ token: LinkToken,
        _ browser: String
    ) -> Response {
        var view = view(open, token, browser, nil)
        view.form = form
        return form.errors.refuse { site.respond(page, view, status: $0) }
    }

    private var gone: Response {
        let message = Phrase("console.invitation.gone")
        return turnAway(Phrase("console.invitation.gone.title"), message, status: .gone)
    }

    /// The invitation stays as it was: its link works once somebody has left the team.
    private var full: Response {
        let message = Phrase("console.invitation.full", ["limit": Member.limit])
        return turnAway(Phrase("console.invitation.full.title"), message, status: .conflict)
    }

    private func turnAway(_ title: Phrase, _ message: Phrase, status: Status) -> Response {
        let frame = SetupFrame(title: title.asWords, assets: site.assets)
        return site.respond(gonePage, InvitationGonePage(frame: frame, message: message), status: status)
    }

    static var views: [any View.Type] {
        [InvitationPage.self, InvitationJoinedPage.self, InvitationGonePage.self]
    }
}
