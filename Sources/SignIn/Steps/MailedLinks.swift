import Core
import Crypto
import Directory
import HTTP
import OAuth
import Platform

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
