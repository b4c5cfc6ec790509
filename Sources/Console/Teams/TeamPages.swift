import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// All teams, and new ones.
struct TeamPages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let context: EngineContext
    private let teams: TeamListStore
    private let founding: TeamFounding
    private let sessions: SessionStore
    private let listPage: LivePage<TeamListPage>
    private let newPage: LivePage<NewTeamPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        context = parts.context
        teams = TeamListStore(parts.system)
        founding = TeamFounding(parts)
        sessions = parts.sessions
        listPage = try parts.site.pages.page(TeamListPage.self)
        newPage = try parts.site.pages.page(NewTeamPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.home, for: .account) { try await list($0) }
        router.get(ConsoleRoutes.newTeam, for: .operators) { visit in
            site.respond(newPage, NewTeamPage(frame: visit.frame(Phrase("console.teams.new")), form: blank))
        }
        router.post(ConsoleRoutes.teams, for: .operators) { try await create($0, $1) }
    }

    private func list(_ visit: Visit) async throws -> Response {
        guard visit.account.isOperator else {
            let rows = visit.account.rights.memberships.map { TeamListPage.Row(team: $0.team, role: $0.role) }
            return respond(visit, rows, paging: nil)
        }
        let trail = try PageTrail(ConsoleRoutes.home.link(), try visit.request.parameters())
        let page = try await teams.page(after: try cursor(trail), limit: Self.pageSize)
        let rows = page.teams.map { team in
            TeamListPage.Row(team: team, role: visit.account.rights.membership(in: team.id)?.role)
        }
        let next = page.next.map { PageTrail.Cursor(at: $0.createdAt, id: $0.id.rawValue) }
        return respond(
            visit,
            rows,
            paging: trail.paging(Phrase("console.teams.found", count: page.total), next: next)
        )
    }

    private func respond(_ visit: Visit, _ rows: [TeamListPage.Row], paging: PagingView?) -> Response {
        let page = TeamListPage(
            frame: visit.frame(Phrase("console.teams.title")),
            mayCreate: visit.account.isOperator,
            teams: rows,
            paging: paging
        )
        return site.respond(listPage, page)
    }

    private func cursor(_ trail: PageTrail) throws(Problem) -> TeamPage.Cursor? {
        guard let cursor = trail.current else { return nil }
        guard let id = TeamID(rawValue: cursor.id) else { throw Problem(Refusal.badRequest) }
        return TeamPage.Cursor(createdAt: cursor.at, id: id)
    }

    /// The operator owns the new team, which is a rise of rights: the session goes on under a new token.
    private func create(_ visit: Visit, _ fields: Form) async throws -> Response {
        var form = blank
        guard let accepted = form.read(fields) else { return refuse(visit, form) }
        let team: TeamID
        do {
            team = try await founding.found(accepted, by: visit)
        } catch TeamStore.Failure.idTaken where accepted.id != nil {
            form.refuseID()
            return refuse(visit, form)
        }
        let flash = Flash.good(
            Phrase("console.teams.flash.created", ["team": accepted.settings.name.rawValue])
        )
        var response = visit.redirect(to: ConsoleRoutes.overview.link(team), saying: flash)
        if let token = try await sessions.renew(visit.account.sessionToken, in: .system, at: context.clock())
        {
            response.set(SessionCookie.make(token, site.cookies))
        }
        return response
    }

    private var blank: NewTeamForm { NewTeamForm(nameField: "name", host: context.publicHost) }

    private func refuse(_ visit: Visit, _ form: NewTeamForm) -> Response {
        let page = NewTeamPage(frame: visit.frame(Phrase("console.teams.new")), form: form)
        return site.respond(newPage, page, status: .unprocessableContent)
    }

    static var views: [any View.Type] { [TeamListPage.self, NewTeamPage.self] }
}
