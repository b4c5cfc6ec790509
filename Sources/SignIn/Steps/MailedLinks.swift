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
        router.get(TeamRoutes.registrationLink, .standard, follow(showRegistrationLink))
        router.post(TeamRoutes.registrationLink, .form, follow(followRegistrationLink))
        router.get(TeamRoutes.passwordLink, .standard, follow(showPasswordLink))
        router.post(TeamRoutes.passwordLink, .form, follow(followPasswordLink))
        router.get(TeamRoutes.emailLink, .standard, follow(showEmailLink))
        router.post(TeamRoutes.emailLink, .form, follow(followEmailLink))
        router.get(TeamRoutes.signInLink, .standard, follow(showSignInLink))
        router.post(TeamRoutes.signInLink, .form, follow(followSignInLink))
        router.get(TeamRoutes.invitationLink, .standard, follow(showInvitationLink))
        router.post(TeamRoutes.invitationLink, .form, follow(followInvitationLink))
    }

    /// Handler that runs `body` for a mailed link; throws `UserFacingError.notFound` if the team has no directory.
    private func follow(_ body: @escaping @Sendable (MailedLinkContext) async throws -> Response)
        -> @Sendable (Request, TeamID, LinkToken) async throws -> Response
    {
        { request, teamID, token in
            let visit = try await steps.visits.read(request, at: teamID)
            guard visit.team.hasDirectory else { throw UserFacingError.notFound }
            let follower = MailedLinkContext(visit: visit, token: token)
            var response: Response
            do { response = try await body(follower) } catch let end as LinkEnd { response = explain(end, follower) }
            if visit.isNewBrowser { response.set(steps.site.browserCookie(visit.browser)) }
            return response
        }
    }

    /// Interaction that a link belongs to; nil unless this browser began it.
    func interaction(_ name: String?, of follower: MailedLinkContext) async throws -> InteractionContext? {
        guard let id = name.flatMap(InteractionID.init(rawValue:)),
            let interaction = try await steps.interactions.find(
                id, browserHash: follower.visit.browserHash, in: follower.team.id)
        else { return nil }
        return InteractionContext(visit: follower.visit, interaction: interaction)
    }

    /// The interaction of an app's request that is sent again; nil if the app may no longer send it.
    func interaction(requestedBy query: String, of follower: MailedLinkContext) async throws -> InteractionContext? {
        let (fields, request): ([FormCoding.Field], AuthorizationRequest)
        do {
            fields = try FormCoding.decode(query.utf8, maximumFields: 64)
            request = try await authorization.judge(
                try ProtocolParameters(fields), to: follower.team, at: follower.visit.now)
        } catch is AuthorizationRefusal { return nil } catch is OAuthError { return nil }
        let interaction = steps.interactions.open(
            request, sent: fields, language: follower.request.languageTags(), browserHash: follower.visit.browserHash,
            in: follower.team.id, from: follower.visit.origin)
        try await steps.interactions.begin(interaction)
        return InteractionContext(visit: follower.visit, interaction: interaction)
    }

    /// Page of a link that leads no further.
    private func explain(_ end: LinkEnd, _ follower: MailedLinkContext) -> Response {
        let team = follower.team
        let isOfAccount = end == .emailOver || end == .taken
        return steps.pages.respond(
            end.problem, to: follower.request, of: team,
            next: isOfAccount
                ? WayOn(TeamRoutes.ownEmail.link(team.id), Message("hosted.problems.retry"))
                : WayOn(TeamRoutes.session.link(team.id), Message("hosted.sign-in.submit")))
    }

    /// Fields of a form that was served to this browser.
    private func form(of follower: MailedLinkContext) throws(UserFacingError) -> Form {
        try steps.site.form(of: follower.request, from: follower.visit.browser)
    }

    /// A form of the page of a link.
    ///
    /// - Parameter route: address of the link, which the form is sent to.
    private func form(_ title: Message, to route: Route<TeamID, LinkToken>, of follower: MailedLinkContext)
        -> HostedForm
    {
        HostedForm(
            frame: steps.pages.frame(title, of: follower.team, in: follower.caller.language),
            action: route.link(follower.team.id, follower.token),
            token: steps.site.formTokens.token(for: follower.visit.browser))
    }

    /// Page with a message and a link to a sign-in.
    private func say(
        _ title: Message, _ message: Message, status: Status = .ok, next: String? = nil, to follower: MailedLinkContext
    ) -> Response {
        let page = MessagePage(
            frame: steps.pages.frame(title, of: follower.team, in: follower.caller.language), message: message,
            next: (next ?? TeamRoutes.session.link(follower.team.id), Message("hosted.sign-in.submit")))
        return steps.pages.respond(page, status: status)
    }

    /// Page for the holder of a link to an address that has an account.
    private func sayKnown(to follower: MailedLinkContext) -> Response {
        let message = Message("hosted.invitation.known", ["team": follower.team.name])
        return say(Message("hosted.invitation.known-title"), message, to: follower)
    }

    /// Choice of a new password by the holder of a link.
    func passwordChoice(of follower: MailedLinkContext) -> PasswordChoice {
        PasswordChoice(
            in: "new", of: follower.team.id, from: follower.visit.origin, at: follower.visit.now, with: newPasswords)
    }
}

/// Request for a mailed link, from any browser in which the user reads mail.
struct MailedLinkContext: Sendable {
    let visit: Visit
    let token: LinkToken

    var request: Request { visit.request }
    var team: TeamSnapshot { visit.team }
    var caller: AccountCaller { visit.caller(in: request.language) }

    /// User of the browser's session.
    var subject: Subject? { visit.session?.user.subject }
}

/// Why a mailed link leads no further: its page says so, and leads to where another one is asked for.
enum LinkEnd: Error {
    /// It was used, has expired, was replaced or never existed, or the account has changed.
    case over
    /// The same of a link that confirms another address.
    case emailOver
    /// The same of an invitation, which its team may have withdrawn, too.
    case invitationOver
    /// The team accepts no new accounts any more.
    case closed
    /// The address has become another account's.
    case taken

    var problem: UserFacingError {
        switch self {
        case .over, .emailOver: UserFacingError(.gone, "hosted.problems.link-over")
        case .invitationOver: UserFacingError(.gone, "hosted.problems.invitation-over")
        case .closed: UserFacingError(.notFound, "hosted.problems.link-closed")
        case .taken: UserFacingError(.conflict, "hosted.problems.address-taken")
        }
    }
}

// Accounts of users whom the team has invited.
extension MailedLinks {
    func showInvitationLink(_ follower: MailedLinkContext) async throws -> Response {
        guard let email = try await invitedAddress(follower) else { throw LinkEnd.invitationOver }
        return steps.pages.respond(invitedPage(follower, email))
    }

    /// Creates the account.
    func followInvitationLink(_ follower: MailedLinkContext) async throws -> Response {
        let form = try form(of: follower)
        guard let email = try await invitedAddress(follower) else { throw LinkEnd.invitationOver }
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
            return say(Message("hosted.mail.registered-title"), message, to: follower)
        case .known: return sayKnown(to: follower)
        case .expired: throw LinkEnd.invitationOver
        case .busy: throw UserFacingError.unavailable
        }
    }

    /// The invited address; nil if the link is invalid.
    private func invitedAddress(_ follower: MailedLinkContext) async throws -> EmailAddress? {
        guard follower.team.registration != .off else { throw LinkEnd.closed }
        return try await invitedRegistrations.address(follower.token, for: follower.caller)
    }

    private func invitedPage(_ follower: MailedLinkContext, _ email: EmailAddress) -> InvitedPage {
        InvitedPage(
            form: form(Message("hosted.invitation.title"), to: TeamRoutes.invitationLink, of: follower),
            lead: Message("hosted.invitation.lead", ["team": follower.team.name]),
            emailHint: Message("hosted.invitation.email-hint"), email: email.shown,
            languages: follower.request.languageTags())
    }
}

// The link to a new password.
extension MailedLinks {
    func showPasswordLink(_ follower: MailedLinkContext) async throws -> Response {
        guard let user = try await recovery.person(follower.token, for: follower.caller) else { throw LinkEnd.over }
        return steps.pages.respond(newPasswordPage(follower, user))
    }

    func followPasswordLink(_ follower: MailedLinkContext) async throws -> Response {
        let form = try form(of: follower)
        guard let user = try await recovery.person(follower.token, for: follower.caller) else { throw LinkEnd.over }
        var page = newPasswordPage(follower, user)
        let rule = PasswordRule(in: follower.team.id, email: user.email, name: user.name, around: [follower.team.name])
        let chosen = try await page.errors.take(form["new"] ?? "", by: rule, passwordChoice(of: follower))
        guard let chosen else { return steps.pages.respond(page, status: .unprocessableContent) }
        switch try await recovery.change(follower.token, to: chosen, for: follower.caller) {
        case .changed(let person):
            var response = say(Message("hosted.mail.password-title"), Message("hosted.mail.password"), to: follower)
            // Otherwise an attacker who locks the account would keep its owner from signing in with the new password.
            if let login = person.email?.rawValue {
                response.set(steps.sessionIssuer.remember(login, of: person, follower.visit))
            }
            return response
        case .expired: throw LinkEnd.over
        case .busy: throw UserFacingError.unavailable
        }
    }

    private func newPasswordPage(_ follower: MailedLinkContext, _ user: User) -> NewPasswordPage {
        NewPasswordPage(
            form: form(Message("hosted.recovery.new-title"), to: TeamRoutes.passwordLink, of: follower),
            login: user.email?.rawValue ?? "")
    }
}

// The link that verifies the address of a registration.
extension MailedLinks {
    /// Shows a button in the browser that registered; in any other, a form to choose the account's name and password.
    func showRegistrationLink(_ follower: MailedLinkContext) async throws -> Response {
        guard let pending = try await pending(follower) else { throw LinkEnd.over }
        if !pending.isOwn { return steps.pages.respond(choicePage(follower, pending)) }
        return steps.pages.respond(
            LinkPage(
                form: form(Message("hosted.mail.confirm-title"), to: TeamRoutes.registrationLink, of: follower),
                message: Message("hosted.mail.confirm-registration", ["team": follower.team.name])))
    }

    /// Creates the account.
    ///
    /// In the browser that registered, the sign-in continues; if it is over, the app's request begins anew.
    func followRegistrationLink(_ follower: MailedLinkContext) async throws -> Response {
        let form = try form(of: follower)
        guard let pending = try await pending(follower) else { throw LinkEnd.over }
        var choice: AccountRegistrations.Choice?
        if !pending.isOwn {
            var page = choicePage(follower, pending)
            let chosen = try await page.read(form, for: pending.email, in: follower.team, passwordChoice(of: follower))
            guard let chosen else { return steps.pages.respond(page, status: .unprocessableContent) }
            choice = AccountRegistrations.Choice(name: chosen.name, password: chosen.password)
        }
        let hash = follower.visit.browserHash
        let outcome = try await registrations.confirm(follower.token, in: hash, choosing: choice, for: follower.caller)
        switch outcome {
        case .made(let made): return try await continueRegistration(made, isOwn: pending.isOwn, follower)
        case .known: return sayKnown(to: follower)
        case .expired, .unchosen: throw LinkEnd.over
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
        let message = Message("hosted.mail.registered", ["team": follower.team.name])
        return say(Message("hosted.mail.registered-title"), message, to: follower)
    }

    private func pending(_ follower: MailedLinkContext) async throws -> AccountRegistrations.Pending? {
        guard follower.team.registration == .open else { throw LinkEnd.closed }
        return try await registrations.pending(follower.token, in: follower.visit.browserHash, for: follower.caller)
    }

    private func choicePage(_ follower: MailedLinkContext, _ pending: AccountRegistrations.Pending) -> InvitedPage {
        var page = InvitedPage(
            form: form(Message("hosted.mail.choose-title"), to: TeamRoutes.registrationLink, of: follower),
            lead: Message("hosted.mail.choose"), emailHint: Message("hosted.mail.choose-email-hint"),
            email: pending.email.shown, languages: follower.request.languageTags())
        (page.given, page.family) = (pending.name.given, pending.name.family)
        return page
    }
}

// Mailed links that require a session or lead to one: change of the email address, and sign-in by mail.
extension MailedLinks {
    func showEmailLink(_ follower: MailedLinkContext) async throws -> Response {
        guard let subject = try await emailChanges.person(follower.token, for: follower.caller) else {
            throw LinkEnd.emailOver
        }
        guard follower.subject == subject else { return signInFirst(follower) }
        return steps.pages.respond(
            LinkPage(
                form: form(Message("hosted.mail.confirm-title"), to: TeamRoutes.emailLink, of: follower),
                message: Message("hosted.mail.confirm-email", ["team": follower.team.name])))
    }

    /// Changes the email address of the user whose session the browser has.
    func followEmailLink(_ follower: MailedLinkContext) async throws -> Response {
        _ = try form(of: follower)
        guard let subject = try await emailChanges.person(follower.token, for: follower.caller) else {
            throw LinkEnd.emailOver
        }
        guard let session = follower.visit.session, session.user.subject == subject else {
            return signInFirst(follower)
        }
        let right = SessionRight(session, in: follower.team.id, clock: steps.server.clock)
        do {
            switch try await emailChanges.confirm(follower.token, by: right, for: follower.caller) {
            case .changed: return say(Message("hosted.mail.email-title"), Message("hosted.mail.email"), to: follower)
            case .expired: throw LinkEnd.emailOver
            case .taken: throw LinkEnd.taken
            }
        } catch is SessionRight.Ended { return .redirect(to: signInURL(follower)) }
    }

    /// Requires a sign-in to the account that changes its address, because a reader of the mail may have been tricked
    /// into confirming the change of another account.
    private func signInFirst(_ follower: MailedLinkContext) -> Response {
        let message =
            follower.subject == nil ? Message("hosted.mail.sign-in-first") : Message("hosted.mail.sign-in-other")
        let title = Message("hosted.mail.sign-in-first-title")
        return say(title, message, status: .forbidden, next: signInURL(follower), to: follower)
    }

    /// Address of a sign-in that leads back to the link.
    private func signInURL(_ follower: MailedLinkContext) -> String {
        let team = follower.team.id
        let back = PercentCoding.encode(TeamRoutes.emailLink.link(team, follower.token))
        return "\(TeamRoutes.session.link(team))?next=\(back)"
    }

    func showSignInLink(_ follower: MailedLinkContext) async throws -> Response {
        let hash = follower.visit.browserHash
        switch try await mailedSignIns.find(follower.token, in: hash, for: follower.caller) {
        case .own(let email):
            return steps.pages.respond(
                LinkPage(
                    form: form(Message("hosted.mail.sign-in-title"), to: TeamRoutes.signInLink, of: follower),
                    message: Message("hosted.mail.sign-in", ["email": email.shown]),
                    button: Message("hosted.mail.sign-in-submit")))
        // The reader of a link that another browser requested may not be the person who requested it.
        case .foreign:
            let message = Message("hosted.mail.foreign")
            return say(Message("hosted.mail.foreign-title"), message, status: .conflict, to: follower)
        case nil: throw LinkEnd.over
        }
    }

    /// Stores the link as the first proof of the interaction that requested it or, if that has ended, of a new one that
    /// leads to the account page.
    func followSignInLink(_ follower: MailedLinkContext) async throws -> Response {
        _ = try form(of: follower)
        let hash = follower.visit.browserHash
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

    private func beginAccount(_ follower: MailedLinkContext) async throws -> InteractionContext {
        let interaction = steps.interactions.open(
            next: nil, language: follower.request.languageTags(), browserHash: follower.visit.browserHash,
            in: follower.team.id)
        try await steps.interactions.begin(interaction)
        return InteractionContext(visit: follower.visit, interaction: interaction)
    }
}
