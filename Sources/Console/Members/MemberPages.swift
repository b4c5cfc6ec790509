import Bytes
import Directory
import Domain
import HTTP
import Localization
import Templates
import Tenancy
import Web

/// Pages of a team's members: list, role change, ownership transfer, removal, and leaving the team.
struct MemberPages: Sendable {
    private let members: MembershipStore
    private let users: UserStore
    private let roster: MemberRoster
    private let showPage: LivePage<MemberPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        members = MembershipStore(parts.database)
        users = UserStore(parts.database)
        roster = try MemberRoster(parts)
        showPage = try parts.site.pages.page(MemberPage.self)
    }

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
        return context.site.respond(showPage, page(context, row))
    }

    private func changeRole(_ context: TeamContext, _ form: Form, _ account: Subject) async throws -> Response {
        let row = try await find(account, context)
        guard let was = form["was"].flatMap(Role.init(rawValue:)) else { throw UserFacingError.staleForm }
        guard let role = form["role"].flatMap(Role.init(rawValue:)), context.role.grantable.contains(role) else {
            var errors = FieldErrors()
            errors.add("role", Message("console.members.role.wrong"))
            return refuse(context, row, errors)
        }
        let change = MemberChange.role(of: account, was: was, becomes: role)
        let outcome = try await apply(change, context)
        if case .conflict(let current) = outcome {
            var errors = FieldErrors()
            errors.add("role", Message("console.members.conflict", ["role": current.words]))
            return refuse(context, row, errors)
        }
        let flash = Message("console.members.flash.role", ["person": row.person.name, "role": role.words])
        return try answer(outcome, context, saying: flash)
    }

    private func remove(_ context: TeamContext, _ form: Form, _ account: Subject) async throws -> Response {
        let row = try await find(account, context)
        let confirmation = Confirmation(form, expecting: row.expected)
        do {
            let reason = try confirmation.reason()
            let outcome = try await apply(.removal(of: account, reason: reason), context)
            let flash = Message("console.members.flash.removed", ["person": row.person.name])
            return try answer(outcome, context, saying: flash)
        } catch let problems as FormProblems {
            let view = page(context, row, removal: (confirmation, problems))
            return context.site.respond(showPage, view, status: .unprocessableContent)
        }
    }

    private func transfer(_ context: TeamContext, _ form: Form, _ account: Subject) async throws -> Response {
        let row = try await find(account, context)
        let confirmation = Confirmation(form, expecting: row.expected)
        do {
            let reason = try confirmation.reason()
            let outcome = try await apply(.transfer(to: account, reason: reason), context)
            let flash = Message("console.members.flash.transferred", ["person": row.person.name])
            return try answer(outcome, context, saying: flash)
        } catch let problems as FormProblems {
            let view = page(context, row, transfer: (confirmation, problems))
            return context.site.respond(showPage, view, status: .unprocessableContent)
        }
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
    private typealias Typed = (confirmation: Confirmation, problems: FormProblems)

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
        var view = page(context, row, error: errors["role"])
        view.errors = errors
        return context.site.respond(showPage, view, status: .unprocessableContent)
    }

    private func page(
        _ context: TeamContext, _ row: MemberRow, error: LocalizedText? = nil, transfer: Typed? = nil,
        removal: Typed? = nil
    ) -> MemberPage {
        MemberPage(
            frame: context.frame(row.person.name), row: row, roles: roles(context, row, error),
            transfer: context.may(.dangerZone) && !row.isSelf ? danger(row, transfer, .transfer) : nil,
            removal: danger(row, removal, .removal))
    }

    private func roles(_ context: TeamContext, _ row: MemberRow, _ error: LocalizedText?) -> ChoicesView {
        ChoicesView(
            "role", label: Message("console.members.role"), error: error,
            options: context.role.grantable.map { role in
                ChoicesView.Option(role.rawValue, role.words, hint: role.reach, isChecked: role == row.member.role)
            })
    }

    private enum Danger {
        case transfer
        case removal
    }

    private func danger(_ row: MemberRow, _ typed: Typed?, _ danger: Danger) -> DangerView {
        let confirmation = typed?.confirmation ?? Confirmation(expecting: row.expected)
        let (team, account) = (row.team, row.member.account)
        let person = row.person.name
        return switch danger {
        case .transfer:
            confirmation.view(
                in: "transfer-", action: MemberRoutes.transfer.link(team, account),
                summary: Message("console.members.transfer.summary", ["person": person]),
                consequences: [Message("console.members.transfer.consequence")],
                button: Message("console.members.transfer.button"), typed?.problems ?? .none)
        case .removal:
            confirmation.view(
                action: MemberRoutes.removal.link(team, account),
                summary: Message("console.members.removal.summary", ["person": person]),
                consequences: [Message("console.members.removal.consequence")],
                button: Message("console.members.removal.button"), typed?.problems ?? .none)
        }
    }

    static var views: [any View.Type] { [MemberListPage.self, MemberPage.self] }
}

extension MemberRow {
    /// Text to enter as confirmation of a removal or transfer: the email, or the `sub` without one.
    var expected: String { user?.email?.rawValue ?? member.account.rawValue }
}
