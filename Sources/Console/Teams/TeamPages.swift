import Bytes
import Directory
import Domain
import HTTP
import Localization
import Templates
import Tenancy
import Web

/// List of teams, and the form for a new one.
struct TeamPages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let server: ServerContext
    private let teams: TeamListStore
    private let founding: TeamCreation
    private let sessions: SessionStore
    private let listPage: LivePage<TeamListPage>
    private let newPage: LivePage<NewTeamPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        server = parts.server
        teams = TeamListStore(parts.system)
        founding = TeamCreation(parts)
        sessions = parts.sessions
        listPage = try parts.site.pages.page(TeamListPage.self)
        newPage = try parts.site.pages.page(NewTeamPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.home, for: .account) { try await list($0) }
        router.get(ConsoleRoutes.newTeam, for: .operators) { context in
            site.respond(newPage, NewTeamPage(frame: context.frame(Message("console.teams.new")), form: emptyForm))
        }
        router.post(ConsoleRoutes.teams, for: .operators) { try await create($0, $1) }
    }

    private func list(_ context: AccountContext) async throws -> Response {
        guard context.account.isOperator else {
            let rows = context.account.rights.memberships.map { TeamListPage.Row(team: $0.team, role: $0.role) }
            return respond(context, rows, paging: nil)
        }
        let trail = try PageHistory(ConsoleRoutes.home.link(), try context.request.parameters())
        let page = try await teams.page(after: try cursor(trail), limit: Self.pageSize)
        let rows = page.teams.map { team in
            TeamListPage.Row(team: team, role: context.account.rights.membership(in: team.id)?.role)
        }
        let next = page.next.map { PageHistory.Cursor(at: $0.createdAt, id: $0.id.rawValue) }
        return respond(
            context, rows, paging: trail.paging(Message("console.teams.found", count: page.total), next: next))
    }

    private func respond(_ context: AccountContext, _ rows: [TeamListPage.Row], paging: PagingView?) -> Response {
        let page = TeamListPage(
            frame: context.frame(Message("console.teams.title")), mayCreate: context.account.isOperator, teams: rows,
            paging: paging)
        return site.respond(listPage, page)
    }

    private func cursor(_ trail: PageHistory) throws(UserFacingError) -> TeamPage.Cursor? {
        guard let cursor = trail.current else { return nil }
        guard let id = TeamID(rawValue: cursor.id) else { throw UserFacingError(HTTPError.badRequest) }
        return TeamPage.Cursor(createdAt: cursor.at, id: id)
    }

    /// Creates a team that the operator owns, and renews the session token because the account gains rights.
    private func create(_ context: AccountContext, _ fields: Form) async throws -> Response {
        var form = emptyForm
        guard let accepted = form.read(fields) else { return refuse(context, form) }
        let team: TeamID
        do { team = try await founding.found(accepted, by: context) } catch TeamStore.Failure.idTaken
            where accepted.id != nil
        {
            form.refuseID()
            return refuse(context, form)
        }
        let flash = Flash.good(Message("console.teams.flash.created", ["team": accepted.settings.name.rawValue]))
        var response = context.redirect(to: ConsoleRoutes.overview.link(team), saying: flash)
        if let token = try await sessions.renew(context.account.sessionToken, in: .system, at: server.clock()) {
            response.set(SessionCookie.make(token, site.cookies))
        }
        return response
    }

    private var emptyForm: NewTeamForm { NewTeamForm(nameField: "name", host: server.publicHost) }

    private func refuse(_ context: AccountContext, _ form: NewTeamForm) -> Response {
        let page = NewTeamPage(frame: context.frame(Message("console.teams.new")), form: form)
        return site.respond(newPage, page, status: .unprocessableContent)
    }

    static var views: [any View.Type] { [TeamListPage.self, NewTeamPage.self] }
}
