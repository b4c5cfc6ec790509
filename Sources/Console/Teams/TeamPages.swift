import Core
import Directory
import HTTP
import Platform
import Registry
import SignIn
import Templates

/// List of teams, and the form for a new one.
struct TeamPages: ConsolePages {
    let parts: Console.Parts

    private var teamCreation: TeamCreation { TeamCreation(parts: parts) }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.home, for: .account) { try await list($0) }
        router.get(ConsoleRoutes.newTeam, for: .operators) { context in
            site.respond(NewTeamPage(frame: context.frame(Message("console.teams.new")), form: emptyForm))
        }
        router.post(ConsoleRoutes.teams, for: .operators) { try await create($0, $1) }
    }

    private func list(_ context: AccountContext) async throws -> Response {
        let rights = context.account.rights
        guard context.account.isOperator else {
            return respond(context, rights.memberships.map { Self.row($0.team, $0.role) }, paging: nil)
        }
        let query = try ListQuery(context.request, at: ConsoleRoutes.home.link())
        // The team of the Apple simulator's people is no team to work in.
        let simulator = parts.simulator.flatMap { TeamID(rawValue: $0.teamID.rawValue) }
        let page = try await TeamListStore(parts.system).page(
            without: simulator, after: query.after, limit: ListQuery.pageSize)
        return respond(
            context, page.items.map { Self.row($0, rights.membership(in: $0.id)?.role) },
            paging: query.paging(Message("console.teams.found", count: page.total), next: page.next))
    }

    private func respond(_ context: AccountContext, _ rows: [ListRow], paging: PagingView?) -> Response {
        let page = TeamListPage(
            frame: context.frame(Message("console.teams.title")), mayCreate: context.account.isOperator, teams: rows,
            paging: paging)
        return site.respond(page)
    }

    /// - Parameter role: nil for an operator who is not a member and therefore has no access.
    private static func row(_ team: Team, _ role: Role?) -> ListRow {
        let name = team.settings.name.rawValue
        return ListRow(
            name, at: role == nil ? nil : ConsoleRoutes.overview.link(team.id), codes: [team.id.rawValue],
            end: [
                team.deletionBadge,
                team.settings.mode == .sandbox ? .badge(.warn, Message("console.teams.sandbox")) : nil,
                .text(role?.words ?? Message("console.teams.no-member")),
            ], initial: Initial.of(name))
    }

    /// Creates a team that the operator owns, and renews the session token because the account gains rights.
    private func create(_ context: AccountContext, _ fields: Form) async throws -> Response {
        var form = emptyForm
        guard let accepted = form.read(fields) else { return refuse(context, form) }
        let team: TeamID
        do { team = try await teamCreation.create(accepted, by: context) } catch TeamStore.Failure.idTaken
            where accepted.id != nil
        {
            form.refuseID()
            return refuse(context, form)
        }
        let flash = Flash.good(Message("console.teams.flash.created", ["team": accepted.settings.name.rawValue]))
        var response = context.redirect(to: ConsoleRoutes.overview.link(team), saying: flash)
        if let token = try await parts.sessions.renew(context.account.sessionToken, in: .system, at: server.clock()) {
            response.set(SessionCookie.make(token, site.cookies))
        }
        return response
    }

    private var emptyForm: NewTeamForm { NewTeamForm(nameField: "name", host: server.publicHost) }

    private func refuse(_ context: AccountContext, _ form: NewTeamForm) -> Response {
        let page = NewTeamPage(frame: context.frame(Message("console.teams.new")), form: form)
        return site.respond(page, status: .unprocessableContent)
    }

    static var views: [any View.Type] { [TeamListPage.self, NewTeamPage.self] }
}

extension Team {
    /// Badge of a team that will be deleted, or is being deleted.
    var deletionBadge: RowPart? {
        if closedAt != nil { return .badge(.bad, Message("console.teams.closed")) }
        return deletionDueAt.map { due in
            .badge(.bad, Message("console.teams.leaving", ["date": LocalizedText.day(due)]))
        }
    }
}

/// Teams of the account; for an operator, all teams.
struct TeamListPage: FramedPage {
    static let template = "console/teams/index"
    static let fields = frameFields.with {
        $0.optionalText("newTeamURL") { $0.mayCreate ? ConsoleRoutes.newTeam.link() : nil }
        $0.rows("teams") { $0.teams }
        $0.optionalGroup("paging", PagingView.fields) { $0.paging }
    }

    let frame: PlainFrame
    let mayCreate: Bool
    let teams: [ListRow]
    let paging: PagingView?
}

/// Form with which an operator creates a team.
struct NewTeamPage: FramedPage {
    static let template = "console/teams/new"
    static let fields = frameFields.with {
        $0.text("action") { _ in ConsoleRoutes.teams.link() }
        $0.errors { $0.form.errors.links }
        $0.group("name", Input.fields) { $0.form.nameView }
        $0.group("teamID", Input.fields) { $0.form.teamIDView }
        $0.group("mode", Input.fields) { $0.form.modeView }
    }

    let frame: PlainFrame
    var form: NewTeamForm
}
