import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Tenancy
import Web

/// Every team of the installation, by name; what is inside is its members' alone.
struct OperatorTeamPages: Sendable {
    private static let pageSize = 50
    private static let longestSearch = 100

    private let site: Site
    private let teams: TeamListStore
    private let memberships: MembershipStore
    private let revocations: WaitingRevocationStore
    /// The team that Apple's stand-in keeps its people in; nil where Apple is Apple.
    private let standInTeam: String?
    private let listPage: LivePage<OperatorTeamListPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        teams = TeamListStore(parts.system)
        memberships = MembershipStore(parts.database)
        revocations = WaitingRevocationStore(parts.system)
        standInTeam = parts.standIn?.teamID.rawValue
        listPage = try parts.site.pages.page(OperatorTeamListPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(OperatorRoutes.teams, for: .operators) { try await list($0) }
        router.post(OperatorRoutes.ownership, for: .operators) { visit, _, team in
            try await adopt(visit, team)
        }
    }

    /// Only a team that nobody belongs to: what is inside any other is for its members, and inside the stand-in's for it.
    private func adopt(_ visit: Visit, _ team: TeamID) async throws -> Response {
        guard team.rawValue != standInTeam else { throw Problem.notFound }
        guard try await memberships.adopt(team, by: visit.account.subject, from: visit.origin) else {
            let flash = Flash.warn(Phrase("console.operator.teams.own.late"))
            return visit.redirect(to: OperatorRoutes.teams.link(), saying: flash)
        }
        let flash = Flash.good(Phrase("console.operator.teams.own.done"))
        return visit.redirect(to: ConsoleRoutes.overview.link(team), saying: flash)
    }

    private func list(_ visit: Visit) async throws -> Response {
        let query = try visit.request.parameters()
        let search = (query["q"] ?? "").trimmed.withoutNUL.cut(toOctets: Self.longestSearch)
        let trail = try PageTrail(
            OperatorRoutes.teams.link(),
            query,
            filter: search.isEmpty ? [] : [(name: "q", value: search)]
        )
        let page = try await teams.page(matching: search, after: try Self.cursor(trail), limit: Self.pageSize)
        let next = page.next.map { PageTrail.Cursor(at: $0.createdAt, id: $0.id.rawValue) }
        let view = OperatorTeamListPage(
            frame: OperatorFrame(visit, Phrase("console.operator.teams.title"), at: .teams),
            query: search.isEmpty ? nil : search,
            rows: try await rows(page.teams, visit),
            paging: trail.paging(Phrase("console.operator.teams.found", count: page.total), next: next)
        )
        return site.respond(listPage, view)
    }

    private func rows(_ teams: [Team], _ visit: Visit) async throws -> [OperatorTeamListPage.Row] {
        let memberless = try await self.teams.memberless(among: teams.map(\.id))
        let closing = teams.filter { $0.closedAt != nil && $0.deletedAt == nil }.map(\.id)
        let waiting = try await revocations.waiting(in: closing)
        return teams.map { team in
            OperatorTeamListPage.Row(
                team: team,
                isMember: visit.account.rights.membership(in: team.id) != nil,
                isMemberless: memberless.contains(team.id),
                isStandIn: team.id.rawValue == standInTeam,
                waiting: waiting[team.id].map(Words.waiting(for:))
            )
        }
    }

    private static func cursor(_ trail: PageTrail) throws(Problem) -> TeamPage.Cursor? {
        guard let cursor = trail.current else { return nil }
        guard let id = TeamID(rawValue: cursor.id) else { throw Problem(Refusal.badRequest) }
        return TeamPage.Cursor(createdAt: cursor.at, id: id)
    }

    static var views: [any View.Type] { [OperatorTeamListPage.self] }
}

extension Words {
    /// What a closed team is waiting for: so many revocations, or nothing any more.
    static func waiting(for revocations: Int) -> Words {
        revocations == 0
            ? Phrase("console.settings.closed.going").asWords
            : Phrase("console.settings.closed.waiting", count: revocations).asWords
    }
}

/// The list of teams as operators see it.
struct OperatorTeamListPage: OperatorPage {
    static let template = "console/operator/teams"
    static let fields =
        frameFields
        .text("action") { _ in OperatorRoutes.teams.link() }
        .text("newTeamURL") { _ in ConsoleRoutes.newTeam.link() }
        .optionalText("query") { $0.query }
        .list("rows", Row.fields) { $0.rows }
        .group("paging", PagingView.fields) { $0.paging }

    struct Row: Sendable {
        let team: Team
        let isMember: Bool
        let isMemberless: Bool
        /// Whether Apple's stand-in keeps its people in it.
        let isStandIn: Bool
        /// What a closed team is waiting for.
        let waiting: Words?

        static let fields = Fields<Row>()
            .optionalText("url") { $0.isMember ? ConsoleRoutes.overview.link($0.team.id) : nil }
            .text("name") { $0.team.settings.name.rawValue }
            .text("id") { $0.team.id.rawValue }
            .optionalText("ownURL") { row in
                row.isMemberless && !row.isStandIn ? OperatorRoutes.ownership.link(row.team.id) : nil
            }
            .flag("standIn") { $0.isStandIn }
            .flag("sandbox") { $0.team.settings.mode == .sandbox }
            .flag("leaving") { $0.team.closedAt == nil && $0.team.deletionDueAt != nil }
            .optionalWords("waiting") { $0.waiting }
            .flag("deleted") { $0.team.deletedAt != nil }
            .group("created", TimeView.fields) { TimeView($0.team.createdAt) }
            .text("jobsURL") { "\(OperatorRoutes.jobs.link())?team=\($0.team.id)" }
    }

    let frame: OperatorFrame
    let query: String?
    let rows: [Row]
    let paging: PagingView
}
