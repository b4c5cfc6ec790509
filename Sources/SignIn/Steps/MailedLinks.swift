import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform
import Registry

/// Mailed links: opening one shows a page, whose button performs the action once.
struct MailedLinks: Sendable {
    let steps: InteractionSteps
    let authorization: Authorization
    let registrations: AccountRegistrations
    let invitedRegistrations: InvitedRegistrations
    let recovery: PasswordRecovery
    let mailedSignIns: MailedSignIn
    let emailChanges: EmailChange
    let newPasswords: NewPasswords

    func mount(on router: inout Router) {
        router.get(TeamRoutes.registrationLink) { request, team, token in
            try await follow(request, team, token) { try await showRegistrationLink($0) }
        }
        router.post(TeamRoutes.registrationLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followRegistrationLink($0) }
        }
        router.get(TeamRoutes.passwordLink) { request, team, token in
            try await follow(request, team, token) { try await showPasswordLink($0) }
        }
        router.post(TeamRoutes.passwordLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followPasswordLink($0) }
        }
        router.get(TeamRoutes.emailLink) { request, team, token in
            try await follow(request, team, token) { try await showEmailLink($0) }
        }
        router.post(TeamRoutes.emailLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followEmailLink($0) }
        }
        router.get(TeamRoutes.signInLink) { request, team, token in
            try await follow(request, team, token) { try await showSignInLink($0) }
        }
        router.post(TeamRoutes.signInLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followSignInLink($0) }
        }
        router.get(TeamRoutes.invitationLink) { request, team, token in
            try await follow(request, team, token) { try await showInvitationLink($0) }
        }
        router.post(TeamRoutes.invitationLink, .form) { request, team, token in
            try await follow(request, team, token) { try await followInvitationLink($0) }
        }
    }

    /// Runs `body` for a mailed link; throws `UserFacingError.notFound` if the team has no directory.
    func follow(
        _ request: Request, _ teamID: TeamID, _ token: LinkToken, _ body: (MailedLinkContext) async throws -> Response
    ) async throws -> Response {
        guard let team = try await steps.teams.snapshot(of: teamID), team.hasDirectory else {
            throw UserFacingError.notFound
        }
        let browserContext = try await steps.browserContext(request, team)
        let caller = AccountCaller(
            team: teamID, language: request.language, origin: request.auditOrigin, now: steps.server.clock())
        let follower = MailedLinkContext(
            request: request, team: team, browserContext: browserContext, token: token, caller: caller)
        var response = try await body(follower)
        if browserContext.isNewBrowser { response.set(steps.site.browserCookie(browserContext.browser)) }
        return response
    }

    /// Interaction that a link belongs to; nil unless this browser began it.
    func interaction(_ name: String?, of follower: MailedLinkContext) async throws -> InteractionContext? {
        guard let id = name.flatMap(InteractionID.init(rawValue:)),
            let interaction = try await steps.interactions.find(
                id, browserHash: follower.browserContext.browserHash, in: follower.team.id)
        else { return nil }
        return InteractionContext(
            request: follower.request, team: follower.team, interaction: interaction,
            browserContext: follower.browserContext)
    }

    /// The interaction of an app's request that is sent again; nil if the app may no longer send it.
    func interaction(requestedBy query: String, of follower: MailedLinkContext) async throws -> InteractionContext? {
        let (fields, request): ([FormCoding.Field], AuthorizationRequest)
        do {
            fields = try FormCoding.decode(query.utf8, maximumFields: 64)
            request = try await authorization.judge(
                try ProtocolParameters(fields), to: follower.team, at: follower.caller.now)
        } catch is AuthorizationRefusal { return nil } catch is OAuthError { return nil }
        let interaction = steps.interactions.open(
            request, sent: fields, language: follower.request.languageTags(), in: follower.team.id,
            from: follower.caller.origin)
        try await steps.interactions.begin(
            interaction, browserHash: follower.browserContext.browserHash, in: follower.team.id)
        return InteractionContext(
            request: follower.request, team: follower.team, interaction: interaction,
            browserContext: follower.browserContext)
    }

    func linkExpired(_ follower: MailedLinkContext) -> Response {
        steps.pages.respond(.linkOver, to: follower.request, of: follower.team)
    }

    func linkPage(
        _ follower: MailedLinkContext, _ title: Message, _ message: Message,
        button: Message = Message("hosted.mail.confirm"), action: String
    ) -> LinkPage {
        LinkPage(
            frame: steps.pages.frame(title, of: follower.team, in: follower.caller.language),
            message: message.localizedText, button: button.localizedText, action: action,
            formToken: steps.site.formTokens.token(for: follower.browserContext.browser))
    }

    func done(_ follower: MailedLinkContext, _ title: Message, _ message: Message) -> MessagePage {
        MessagePage(
            frame: steps.pages.frame(title, of: follower.team, in: follower.caller.language),
            message: message.localizedText,
            next: (TeamRoutes.session.link(follower.team.id), Message("hosted.sign-in.submit").localizedText))
    }
    /// Choice of a new password by the holder of a link.
    func passwordChoice(of follower: MailedLinkContext) -> PasswordChoice {
        PasswordChoice(
            in: "new", of: follower.team.id, from: follower.caller.origin, at: follower.caller.now, with: newPasswords)
    }
}

/// Request for a mailed link, from any browser in which the user reads mail.
struct MailedLinkContext: Sendable {
    let request: Request
    let team: TeamSnapshot
    let browserContext: BrowserContext
    let token: LinkToken
    let caller: AccountCaller
}

extension UserFacingError {
    /// The link was used, has expired or never existed.
    static let linkOver = UserFacingError(
        .gone, Message("hosted.problems.link-over.headline"), Message("hosted.problems.link-over.message"),
        advice: Message("hosted.problems.link-over.advice"))
}

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

// The link to a new password.
extension MailedLinks {
    func showPasswordLink(_ follower: MailedLinkContext) async throws -> Response {
        guard let user = try await recovery.person(follower.token, for: follower.caller) else {
            return linkExpired(follower)
        }
        return steps.pages.respond(newPasswordPage(follower, user))
    }

    func followPasswordLink(_ follower: MailedLinkContext) async throws -> Response {
        let form = try steps.site.form(of: follower.request, from: follower.browserContext.browser)
        guard let user = try await recovery.person(follower.token, for: follower.caller) else {
            return linkExpired(follower)
        }
        var page = newPasswordPage(follower, user)
        let rule = PasswordRule(in: follower.team.id, email: user.email, name: user.name, around: [follower.team.name])
        let chosen = try await page.errors.take(form["new"] ?? "", by: rule, passwordChoice(of: follower))
        guard let chosen else { return steps.pages.respond(page, status: .unprocessableContent) }
        switch try await recovery.change(follower.token, to: chosen, for: follower.caller) {
        case .changed(let person):
            var response = steps.pages.respond(
                done(follower, Message("hosted.mail.password-title"), Message("hosted.mail.password")))
            // Otherwise an attacker who locks the account would keep its owner from signing in with the new password.
            if let login = person.email?.rawValue {
                let (request, browserContext) = (follower.request, follower.browserContext)
                response.set(steps.sessionIssuer.remember(login, of: person, request, follower.team.id, browserContext))
            }
            return response
        case .expired: return linkExpired(follower)
        case .busy: throw UserFacingError.unavailable
        }
    }

    private func newPasswordPage(_ follower: MailedLinkContext, _ user: User) -> NewPasswordPage {
        NewPasswordPage(
            frame: steps.pages.frame(
                Message("hosted.recovery.new-title"), of: follower.team, in: follower.caller.language),
            action: TeamRoutes.passwordLink.link(follower.team.id, follower.token),
            formToken: steps.site.formTokens.token(for: follower.browserContext.browser),
            login: user.email?.rawValue ?? "")
    }
}

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
