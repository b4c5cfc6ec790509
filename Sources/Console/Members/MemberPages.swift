import Core
import Directory
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// Pages of a team's members: list, role change, ownership transfer, removal, and leaving the team.
struct MemberPages: ConsolePages {
    let parts: Console.Parts

    private var roster: MemberRoster { MemberRoster(parts: parts) }

    func mount(on router: inout ConsoleRouter) {
        router.get(MemberRoutes.list, needs: .read, at: .members) { try await roster.respond($0) }
        router.get(MemberRoutes.member, needs: .changeMembers, at: .members) { context, account in
            try await show(context, account)
        }
        router.post(MemberRoutes.role, needs: .changeMembers, at: .members) { context, form, account in
            try await changeRole(context, form, account)
        }
        router.post(MemberRoutes.removal, needs: .changeMembers, at: .members, countsForTeam: false) {
            context, form, account in try await remove(context, form, account)
        }
        router.post(MemberRoutes.transfer, needs: .dangerZone, at: .members) { context, form, account in
            try await transfer(context, form, account)
        }
        // Every member may leave, so the right that all roles have is enough.
        router.post(MemberRoutes.departure, needs: .read, at: .members, countsForTeam: false) { context, _ in
            try await leave(context)
        }
    }

    private func show(_ context: TeamContext, _ account: Subject) async throws -> Response {
        let row = try await find(account, context)
        return context.site.respond(page(context, row))
    }

    private func changeRole(_ context: TeamContext, _ form: Form, _ account: Subject) async throws -> Response {
        let row = try await find(account, context)
        guard let was = form["was"].flatMap(Role.init(rawValue:)) else { throw UserFacingError.staleForm }
        guard let role = form["role"].flatMap(Role.init(rawValue:)), context.role.grantable.contains(role) else {
            let errors = FieldErrors("role", Message("console.members.role.wrong"))
            return refuse(context, row, errors)
        }
        let change = MemberChange.role(of: account, was: was, becomes: role)
        let outcome = try await apply(change, context)
        if case .conflict(let current) = outcome {
            let errors = FieldErrors("role", Message("console.members.conflict", ["role": current.words]))
            return refuse(context, row, errors)
        }
        let flash = Message("console.members.flash.role", ["person": row.person.name, "role": role.words])
        return try answer(outcome, context, saying: flash)
    }

    private func remove(_ context: TeamContext, _ form: Form, _ account: Subject) async throws -> Response {
        let row = try await find(account, context)
        let confirmation = Confirmation(form, expecting: row.expected)
        guard let reason = confirmation.reason else {
            return context.site.respond(page(context, row, removal: confirmation), status: confirmation.status)
        }
        let outcome = try await apply(.removal(of: account, reason: reason), context)
        return try answer(
            outcome, context, saying: Message("console.members.flash.removed", ["person": row.person.name]))
    }

    private func transfer(_ context: TeamContext, _ form: Form, _ account: Subject) async throws -> Response {
        let row = try await find(account, context)
        let confirmation = Confirmation(form, expecting: row.expected)
        guard let reason = confirmation.reason else {
            return context.site.respond(page(context, row, transfer: confirmation), status: confirmation.status)
        }
        let outcome = try await apply(.transfer(to: account, reason: reason), context)
        return try answer(
            outcome, context, saying: Message("console.members.flash.transferred", ["person": row.person.name]))
    }

    private func leave(_ context: TeamContext) async throws -> Response {
        let outcome = try await apply(.departure, context)
        guard outcome == .done else { return try answer(outcome, context, saying: Message("console.members.left")) }
        let flash = Message("console.members.flash.left", ["team": context.team.settings.name.rawValue])
        return context.redirect(to: ConsoleRoutes.home.link(), saying: .good(flash))
    }
}

// Lookups and views of the member pages.
extension MemberPages {
    /// The member with `account`, if the signed-in member may manage that member's role.
    ///
    /// - Throws: `UserFacingError.notFound` if there is none, `.forbidden` if the role is not manageable.
    private func find(_ account: Subject, _ context: TeamContext) async throws -> MemberRow {
        guard let member = try await members.member(account, in: context.teamID) else { throw UserFacingError.notFound }
        guard context.role.mayManage(member.role) else { throw UserFacingError.forbidden }
        return MemberRow(
            team: context.teamID, member: member, user: try await users.find(account, in: .system),
            isSelf: account == context.account.subject, canChange: true)
    }

    private func apply(_ change: MemberChange, _ context: TeamContext) async throws -> MemberChange.Outcome {
        try await members.apply(change, by: context.account.subject, in: context.teamID, from: context.origin)
    }

    /// - Throws: `UserFacingError`.
    private func answer(_ outcome: MemberChange.Outcome, _ context: TeamContext, saying done: Message)
        throws(UserFacingError) -> Response
    {
        let list = MemberRoutes.list.link(context.teamID)
        switch outcome {
        case .done: return context.redirect(to: list, saying: .good(done))
        case .lastOwner: return context.redirect(to: list, saying: .bad(Message("console.members.flash.last-owner")))
        case .notFound: throw .notFound
        case .notAllowed: throw .forbidden
        case .conflict: throw .staleForm
        }
    }

    private func refuse(_ context: TeamContext, _ row: MemberRow, _ errors: FieldErrors) -> Response {
        context.site.respond(page(context, row, errors), status: .unprocessableContent)
    }

    private func page(
        _ context: TeamContext, _ row: MemberRow, _ errors: FieldErrors = FieldErrors(), transfer: Confirmation? = nil,
        removal: Confirmation? = nil
    ) -> MemberPage {
        let (account, person) = (row.member.account, row.person.name)
        let empty = Confirmation(expecting: row.expected)
        let handover = (transfer ?? empty).view(
            in: "transfer-", action: MemberRoutes.transfer.link(row.team, account),
            summary: Message("console.members.transfer.summary", ["person": person]),
            consequences: [Message("console.members.transfer.consequence")],
            button: Message("console.members.transfer.button"))
        return MemberPage(
            frame: context.frame(person), row: row,
            roles: .roles(context.role.grantable, chosen: row.member.role, errors), errors: errors,
            transfer: context.may(.dangerZone) && !row.isSelf ? handover : nil,
            removal: (removal ?? empty).view(
                action: MemberRoutes.removal.link(row.team, account),
                summary: Message("console.members.removal.summary", ["person": person]),
                consequences: [Message("console.members.removal.consequence")],
                button: Message("console.members.removal.button")))
    }

    static var views: [any View.Type] { [MemberListPage.self, MemberPage.self] }
}

/// Page of a member, with forms for the role, the transfer of ownership and the removal.
struct MemberPage: FramedPage {
    static let template = "console/members/show"
    static let fields = frameFields.with {
        $0.group("person", PersonView.fields) { $0.row.person }
        $0.words("role") { $0.row.member.role.words.localizedText }
        $0.group("since", TimeView.fields) { TimeView($0.row.member.since) }
        $0.text("roleURL") { MemberRoutes.role.link($0.row.team, $0.row.member.account) }
        $0.text("was") { $0.row.member.role.rawValue }
        $0.group("roles", Input.fields) { $0.roles }
        $0.errors { $0.errors.links }
        $0.optionalGroup("transfer", DangerView.fields) { $0.transfer }
        $0.group("removal", DangerView.fields) { $0.removal }
    }

    let frame: ConsoleFrame
    let row: MemberRow
    let roles: Input
    let errors: FieldErrors
    /// Nil unless the account is an owner and the page shows another member.
    let transfer: DangerView?
    let removal: DangerView
}

/// Routes of a team's members and invitations.
enum MemberRoutes {
    static let list = Route("/console/:team/members", TeamID.self)
    static let member = Route("/console/:team/members/:sub", TeamID.self, Subject.self)
    static let role = Route("/console/:team/members/:sub/role", TeamID.self, Subject.self)
    static let removal = Route("/console/:team/members/:sub/removal", TeamID.self, Subject.self)
    static let transfer = Route("/console/:team/members/:sub/transfer", TeamID.self, Subject.self)
    static let departure = Route("/console/:team/departure", TeamID.self)

    static let invitations = Route("/console/:team/invitations", TeamID.self)
    static let resending = Route("/console/:team/invitations/:invitation/resending", TeamID.self, InvitationID.self)
    static let withdrawal = Route("/console/:team/invitations/:invitation/withdrawal", TeamID.self, InvitationID.self)

    /// Page for the holder of an invitation link, who may not have an account yet.
    static let invitation = Route("/invitations/:token", String.self)
}
