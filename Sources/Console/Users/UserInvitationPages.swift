import Core
import Directory
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Pages of invitations to create an account with a team: list, send, resend and withdraw.
struct UserInvitationPages: ConsolePages {
    let parts: Console.Parts

    private var invitations: UserInvitations { UserInvitations(database, mailer: parts.mailer, random: server.random) }

    func mount(on router: inout ConsoleRouter) {
        router.get(UserInvitationRoutes.list, needs: .read, at: .users) { context in
            try await respond(context, UserInviteForm(language: context.request.language))
        }
        router.post(UserInvitationRoutes.list, needs: .changeUsers, at: .users) { context, fields in
            var form = UserInviteForm(language: context.request.language)
            guard let email = form.read(fields) else { return try await respond(context, form) }
            return try await send(form, to: email, context)
        }
        router.post(UserInvitationRoutes.resending, needs: .changeUsers, at: .users) { context, _, id in
            let form = UserInviteForm(language: context.request.language)
            return try await send(form, to: try await find(id, context).email, context)
        }
        router.post(UserInvitationRoutes.withdrawal, needs: .changeUsers, at: .users, countsForTeam: false) {
            context, _, id in try await withdraw(id, context)
        }
    }

    private func send(_ form: UserInviteForm, to email: EmailAddress, _ context: TeamContext) async throws -> Response {
        guard context.team.settings.registration != .off else { throw UserFacingError.forbidden }
        let caller = AccountCaller(
            team: context.teamID, language: form.language, origin: context.origin, now: server.clock())
        let earlier = try await invitations.list(in: context.teamID, at: server.clock()).map(\.email)
        do { try await invitations.invite(email, by: context.account.subject, for: caller) } catch UserInvitations
            .Failure.notAllowed
        { throw UserFacingError.forbidden } catch let failure as UserInvitations.Failure {
            var form = form
            form.errors.add("email", failure.words)
            return try await respond(context, form)
        }
        return back(context, saying: .invited(email, after: earlier, sendsMail: server.sendsMail))
    }

    private func withdraw(_ id: InvitationID, _ context: TeamContext) async throws -> Response {
        let invitation = try await find(id, context)
        let isWithdrawn = try await invitations.withdraw(
            id, by: context.account.subject, in: context.teamID, from: context.origin)
        guard isWithdrawn else { throw UserFacingError.notFound }
        let email = invitation.email.shown
        return back(context, saying: .good(Message("console.user-invitations.flash.withdrawn", ["email": email])))
    }

    private func find(_ id: InvitationID, _ context: TeamContext) async throws -> UserInvitation {
        try await invitations.find(id, in: context.teamID, at: server.clock()).orNotFound()
    }

    private func back(_ context: TeamContext, saying flash: Flash) -> Response {
        context.redirect(to: UserInvitationRoutes.list.link(context.teamID), saying: flash)
    }

    /// Renders the page; after a rejected invitation with its input and errors.
    private func respond(_ context: TeamContext, _ form: UserInviteForm) async throws -> Response {
        let team = context.teamID
        let registration = context.team.settings.registration
        let mayInvite = context.may(.changeUsers)
        let view = UserInvitationListPage(
            frame: context.frame(Message("console.user-invitations.title")), team: team, registration: registration,
            invitations: try await invitations.list(in: team, at: server.clock()).map { invitation in
                let email = invitation.email.shown
                let resend = RowPart.button(
                    Message("console.members.resend"), UserInvitationRoutes.resending.link(team, invitation.id),
                    for: email)
                let withdraw = RowPart.button(
                    Message("console.members.withdraw"), UserInvitationRoutes.withdrawal.link(team, invitation.id),
                    for: email, isQuiet: true)
                return ListRow(
                    email, notes: [.text(Message("console.members.expires"), invitation.expiresAt)],
                    end: mayInvite ? [registration == .off ? nil : resend, withdraw] : [])
            },
            invite: mayInvite && registration != .off
                ? FormView(action: UserInvitationRoutes.list.link(team), errors: form.errors.links, inputs: form.inputs)
                : nil, maySet: context.may(.changeSettings))
        return context.site.respond(view, status: form.errors.status)
    }

    static var views: [any View.Type] { [UserInvitationListPage.self] }
}

/// Routes of invitations to create an account with a team.
enum UserInvitationRoutes {
    static let list = Route("/console/:team/user-invitations", TeamID.self)
    static let resending = Route(
        "/console/:team/user-invitations/:invitation/resending", TeamID.self, InvitationID.self)
    static let withdrawal = Route(
        "/console/:team/user-invitations/:invitation/withdrawal", TeamID.self, InvitationID.self)
}

extension UserInvitations.Failure {
    fileprivate var words: Message {
        switch self {
        case .known: Message("console.user-invitations.known")
        case .tooMany: Message("console.user-invitations.too-many", count: Quota.userInvitations.count)
        case .notAllowed: Message("shared.problems.forbidden.headline")
        }
    }
}

/// Open invitations to create an account, with the invitation form.
struct UserInvitationListPage: FramedPage {
    static let template = "console/users/invitations"
    static let fields = frameFields.with {
        $0.rows("invitations") { $0.invitations }
        $0.optionalWords("count") { page in
            page.invitations.isEmpty
                ? nil : Message("console.user-invitations.open", count: page.invitations.count).localizedText
        }
        $0.words("policy") { $0.policy.localizedText }
        $0.optionalText("settingsURL") { page in page.maySet ? SettingsRoutes.settings.link(page.team) : nil }
        $0.optionalGroup("invite", FormView.fields) { $0.invite }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let registration: Registration
    let invitations: [ListRow]
    /// Nil if the account may not invite, or if registration is off.
    let invite: FormView?
    let maySet: Bool

    private var policy: Message { Message(in: "console.user-invitations.policy", registration.rawValue) }
}

/// Form that invites a user: email and language of the mail as entered, with errors.
struct UserInviteForm: Sendable {
    private(set) var email = ""
    private(set) var language: Language
    var errors = FieldErrors()

    /// - Parameter language: the preselected language of the mail.
    init(language: Language) { self.language = language }

    /// Reads the form; nil if a field is invalid, with its error in `errors`.
    mutating func read(_ form: Form) -> EmailAddress? {
        email = form["email"] ?? ""
        language = form["language"].flatMap(Language.init(rawValue:)) ?? language
        return errors.require(EmailAddress(typed: email), "email", Message("console.members.email.wrong"))
    }

    var inputs: [Input] {
        let languages = Language.allCases.map { option in
            Option(option.rawValue, Message(in: "console.languages", option.rawValue), isChosen: option == language)
        }
        return [
            Input(
                "email", Message("console.members.email"), email, as: .line("email"), placeholder: "ada@example.org",
                errors: errors),
            Input(
                "language", Message("console.user-invitations.language"), as: .list(languages),
                hint: Message("console.user-invitations.language.hint")),
        ]
    }
}
