import Core
import Directory
import HTTP
import Platform
import SignIn
import Templates

/// Page of a user's second factors, which the team can remove, for example after a phone was lost.
struct UserFactorPages: ConsolePages {
    let parts: Console.Parts

    private var factors: FactorStore { FactorStore(database) }

    func mount(on router: inout ConsoleRouter) {
        router.get(UserRoutes.factors, needs: .read, at: .users) { context, subject in
            try await respond(context, try await find(subject, context))
        }
        router.post(UserRoutes.factorReset, needs: .changeUsers, at: .users) { context, form, subject in
            try await reset(context, form, try await find(subject, context))
        }
    }

    /// Removes all factors, ends the user's sessions, records the reason in the audit log and sends the user a mail.
    private func reset(_ context: TeamContext, _ form: Form, _ user: User) async throws -> Response {
        let confirmation = Confirmation(form, expecting: user.confirmationText)
        guard let reason = confirmation.reason else { return try await respond(context, user, confirmation) }
        let isReset = try await factors.reset(
            of: user.subject, reason: reason, in: context.teamID, by: context.actor, from: context.origin,
            telling: FactorMailer(parts.mailer, in: context.request.language))
        let name = user.shownName
        let flash: Flash =
            isReset
            ? .good(Message("console.user-factors.flash.reset", ["name": name]))
            : .warn(Message("console.user-factors.flash.none", ["name": name]))
        return context.redirect(to: ConsoleRoutes.user.link(context.teamID, user.subject), saying: flash)
    }

    private func find(_ subject: Subject, _ context: TeamContext) async throws -> User {
        try await users.find(subject, in: context.teamID).orNotFound()
    }

    private func respond(_ context: TeamContext, _ user: User, _ confirmation: Confirmation? = nil) async throws
        -> Response
    {
        let (subject, team) = (user.subject, context.teamID)
        let list = try await factors.list(of: subject, in: team)
        let confirmation = confirmation ?? Confirmation(expecting: user.confirmationText)
        let danger = confirmation.view(
            action: UserRoutes.factorReset.link(team, subject), summary: Message("console.user-factors.reset.summary"),
            consequences: [
                Message("console.user-factors.reset.password"), Message("console.user-factors.reset.mail"),
                Message("console.user-factors.reset.identity"),
            ], button: Message("console.user-factors.reset.button"))
        let view = UserFactorPage(
            frame: context.frame(Message("console.user-factors.title")), team: team, user: user,
            factors: list.map(\.row), codesLeft: try await factors.enrolled(of: subject, in: team).recoveryCodesLeft,
            danger: context.may(.changeUsers) && !list.isEmpty ? danger : nil)
        return context.site.respond(view, status: confirmation.status)
    }

    static var views: [any View.Type] { [UserFactorPage.self] }
}

/// Second factors of a user, with the form that removes them.
struct UserFactorPage: FramedPage {
    static let template = "console/users/factors"
    static let fields = frameFields.with {
        $0.text("userURL") { ConsoleRoutes.user.link($0.team, $0.user.subject) }
        $0.text("name") { $0.user.shownName }
        $0.rows("factors") { $0.factors }
        $0.words("codesLeft") { Message("console.user-factors.codes", count: $0.codesLeft).localizedText }
        $0.optionalGroup("danger", DangerView.fields) { $0.danger }
    }

    let frame: ConsoleFrame
    let team: TeamID
    let user: User
    let factors: [ListRow]
    /// Number of unused recovery codes.
    let codesLeft: Int
    /// Nil if the user has no second factor, or if the account may not remove them.
    let danger: DangerView?
}

extension FactorSummary {
    fileprivate var row: ListRow {
        let title =
            if case .passkey = kind, let name { Message("console.user-factors.passkey", ["name": name]) } else {
                Message("console.user-factors.totp")
            }
        return ListRow(
            title, notes: [.text(Message("console.user-factors.added"), addedAt)],
            end: [
                .last(
                    Message("console.user-factors.last-used"), lastUsedAt,
                    never: Message("console.user-factors.never-used"))
            ])
    }
}
