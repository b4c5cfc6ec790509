import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// The members of a team: seen, given another role, removed; and one's own leave.
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
        router.get(MemberRoutes.member, needs: .changeMembers, at: .members) { scope, account in
            try await show(scope, account)
        }
        router.post(MemberRoutes.role, needs: .changeMembers, at: .members) { scope, form, account in
            try await changeRole(scope, form, account)
        }
        router.post(MemberRoutes.removal, needs: .changeMembers, at: .members, countsForTeam: false) {
            scope,
            form,
            account in
            try await remove(scope, form, account)
        }
        router.post(MemberRoutes.transfer, needs: .dangerZone, at: .members) { scope, form, account in
            try await transfer(scope, form, account)
        }
        // Nobody needs a right to go.
        router.post(MemberRoutes.departure, needs: .read, at: .members, countsForTeam: false) { scope, _ in
            try await leave(scope)
        }
    }

    private func show(_ scope: Scope, _ account: Subject) async throws -> Response {
        let row = try await find(account, scope)
        return scope.site.respond(showPage, page(scope, row))
    }

    private func changeRole(_ scope: Scope, _ form: Form, _ account: Subject) async throws -> Response {
        let row = try await find(account, scope)
        guard let was = form["was"].flatMap(Role.init(rawValue:)) else { throw Web.Problem.staleForm }
        guard let role = form["role"].flatMap(Role.init(rawValue:)), scope.role.grantable.contains(role)
        else {
            var errors = FieldErrors()
            errors.add("role", Phrase("console.members.role.wrong"))
            return refuse(scope, row, errors)
        }
        let change = MemberChange.role(of: account, was: was, becomes: role)
        let outcome = try await apply(change, scope)
        if case .conflict(let current) = outcome {
            var errors = FieldErrors()
            errors.add("role", Phrase("console.members.conflict", ["role": current.words]))
            return refuse(scope, row, errors)
        }
        let flash = Phrase("console.members.flash.role", ["person": row.person.name, "role": role.words])
        return try answer(outcome, scope, saying: flash)
    }

    private func remove(_ scope: Scope, _ form: Form, _ account: Subject) async throws -> Response {
        let row = try await find(account, scope)
        let confirmation = Confirmation(form, expecting: row.expected)
        do {
            let reason = try confirmation.reason()
            let outcome = try await apply(.removal(of: account, reason: reason), scope)
            let flash = Phrase("console.members.flash.removed", ["person": row.person.name])
            return try answer(outcome, scope, saying: flash)
        } catch let problems as FormProblems {
            let view = page(scope, row, removal: (confirmation, problems))
            return scope.site.respond(showPage, view, status: .unprocessableContent)
        }
    }

    private func transfer(_ scope: Scope, _ form: Form, _ account: Subject) async throws -> Response {
        let row = try await find(account, scope)
        let confirmation = Confirmation(form, expecting: row.expected)
        do {
            let reason = try confirmation.reason()
            let outcome = try await apply(.transfer(to: account, reason: reason), scope)
            let flash = Phrase("console.members.flash.transferred", ["person": row.person.name])
            return try answer(outcome, scope, saying: flash)
        } catch let problems as FormProblems {
            let view = page(scope, row, transfer: (confirmation, problems))
            return scope.site.respond(showPage, view, status: .unprocessableContent)
        }
    }

    private func leave(_ scope: Scope) async throws -> Response {
        let outcome = try await apply(.departure, scope)
        guard outcome == .done else {
            return try answer(outcome, scope, saying: Phrase("console.members.left"))
        }
        let flash = Phrase("console.members.flash.left", ["team": scope.team.settings.name.rawValue])
        return scope.redirect(to: ConsoleRoutes.home.link(), saying: .good(flash))
    }
}

// What a page of a member is made of.
extension MemberPages {
    private typealias Typed = (confirmation: Confirmation, problems: FormProblems)

    /// The member, whom the one before the page may change; anybody else is not there for them.
    private func find(_ account: Subject, _ scope: Scope) async throws -> MemberRow {
        guard let member = try await members.member(account, in: scope.teamID) else {
            throw Web.Problem.notFound
        }
        guard scope.role.mayManage(member.role) else { throw Web.Problem.forbidden }
        return MemberRow(
            team: scope.teamID,
            member: member,
            user: try await users.find(account, in: .system),
            isSelf: account == scope.account.subject,
            canChange: true
        )
    }

    private func apply(_ change: MemberChange, _ scope: Scope) async throws -> MemberChange.Outcome {
        try await members.apply(
            change,
            by: scope.account.subject,
            in: scope.teamID,
            from: scope.origin
        )
    }

    /// - Throws: `Web.Problem`.
    private func answer(_ outcome: MemberChange.Outcome, _ scope: Scope, saying done: Phrase) throws(Web
        .Problem)
        -> Response
    {
        let list = MemberRoutes.list.link(scope.teamID)
        switch outcome {
        case .done: return scope.redirect(to: list, saying: .good(done))
        case .lastOwner:
            return scope.redirect(to: list, saying: .bad(Phrase("console.members.flash.last-owner")))
        case .notFound: throw .notFound
        case .notAllowed: throw .forbidden
        case .conflict: throw .staleForm
        }
    }

    private func refuse(_ scope: Scope, _ row: MemberRow, _ errors: FieldErrors) -> Response {
        var view = page(scope, row, error: errors["role"])
        view.errors = errors
        return scope.site.respond(showPage, view, status: .unprocessableContent)
    }

    private func page(
        _ scope: Scope,
        _ row: MemberRow,
        error: Words? = nil,
        transfer: Typed? = nil,
        removal: Typed? = nil
    ) -> MemberPage {
        MemberPage(
            frame: scope.frame(row.person.name),
            row: row,
            roles: roles(scope, row, error),
            transfer: scope.may(.dangerZone) && !row.isSelf
                ? danger(row, transfer, .transfer) : nil,
            removal: danger(row, removal, .removal)
        )
    }

    private func roles(_ scope: Scope, _ row: MemberRow, _ error: Words?) -> ChoicesView {
        ChoicesView(
            "role",
            label: Phrase("console.members.role"),
            error: error,
            options: scope.role.grantable.map { role in
                ChoicesView.Option(
                    role.rawValue,
                    role.words,
                    hint: role.reach,
                    isChecked: role == row.member.role
                )
            }
        )
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
                in: "transfer-",
                action: MemberRoutes.transfer.link(team, account),
                summary: Phrase("console.members.transfer.summary", ["person": person]),
                consequences: [Phrase("console.members.transfer.consequence")],
                button: Phrase("console.members.transfer.button"),
                typed?.problems ?? .none
            )
        case .removal:
            confirmation.view(
                action: MemberRoutes.removal.link(team, account),
                summary: Phrase("console.members.removal.summary", ["person": person]),
                consequences: [Phrase("console.members.removal.consequence")],
                button: Phrase("console.members.removal.button"),
                typed?.problems ?? .none
            )
        }
    }

    static var views: [any View.Type] { [MemberListPage.self, MemberPage.self] }
}

extension MemberRow {
    /// What has to be typed before the membership ends.
    var expected: String { user?.email?.rawValue ?? member.account.rawValue }
}
