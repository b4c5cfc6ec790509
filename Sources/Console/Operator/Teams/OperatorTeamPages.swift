import Bytes
import Domain
import Federation
import HTTP
import Localization
import Templates
import Tenancy
import Web

/// List of all teams of the installation by name; only a team's members see its data.
struct OperatorTeamPages: Sendable {
    private static let pageSize = 50
    private static let longestSearch = 100

    private let site: Site
    private let teams: TeamListStore
    private let memberships: MembershipStore
    private let revocations: WaitingRevocationStore
    /// Team with the users of the Apple simulator; nil without a simulator.
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
        router.post(OperatorRoutes.ownership, for: .operators) { context, _, team in try await adopt(context, team) }
    }

    /// Makes the operator the owner of a team without members, except for the Apple simulator's team.
    ///
    /// Other teams are refused because only members may see a team's data.
    private func adopt(_ context: AccountContext, _ team: TeamID) async throws -> Response {
        guard team.rawValue != standInTeam else { throw UserFacingError.notFound }
        guard try await memberships.adopt(team, by: context.account.subject, from: context.origin) else {
            let flash = Flash.warn(Message("console.operator.teams.own.late"))
            return context.redirect(to: OperatorRoutes.teams.link(), saying: flash)
        }
        let flash = Flash.good(Message("console.operator.teams.own.done"))
        return context.redirect(to: ConsoleRoutes.overview.link(team), saying: flash)
    }

    private func list(_ context: AccountContext) async throws -> Response {
        let query = try context.request.parameters()
        let search = (query["q"] ?? "").trimmed.withoutNUL.cut(toOctets: Self.longestSearch)
        let trail = try PageHistory(
            OperatorRoutes.teams.link(), query, filter: search.isEmpty ? [] : [(name: "q", value: search)])
        let page = try await teams.page(matching: search, after: try Self.cursor(trail), limit: Self.pageSize)
        let next = page.next.map { PageHistory.Cursor(at: $0.createdAt, id: $0.id.rawValue) }
        let view = OperatorTeamListPage(
            frame: OperatorFrame(context, Message("console.operator.teams.title"), at: .teams),
            query: search.isEmpty ? nil : search, rows: try await rows(page.teams, context),
            paging: trail.paging(Message("console.operator.teams.found", count: page.total), next: next))
        return site.respond(listPage, view)
    }

    private func rows(_ teams: [Team], _ context: AccountContext) async throws -> [OperatorTeamListPage.Row] {
        let memberless = try await self.teams.memberless(among: teams.map(\.id))
        let closing = teams.filter { $0.closedAt != nil && $0.deletedAt == nil }.map(\.id)
        let waiting = try await revocations.waiting(in: closing)
        return teams.map { team in
            OperatorTeamListPage.Row(
                team: team, isMember: context.account.rights.membership(in: team.id) != nil,
                isMemberless: memberless.contains(team.id), isStandIn: team.id.rawValue == standInTeam,
                waiting: waiting[team.id].map(LocalizedText.waiting(for:)))
        }
    }

    private static func cursor(_ trail: PageHistory) throws(UserFacingError) -> TeamPage.Cursor? {
        guard let cursor = trail.current else { return nil }
        guard let id = TeamID(rawValue: cursor.id) else { throw UserFacingError(HTTPError.badRequest) }
        return TeamPage.Cursor(createdAt: cursor.at, id: id)
    }

    static var views: [any View.Type] { [OperatorTeamListPage.self] }
}

extension LocalizedText {
    /// State of a closed team before its deletion: number of pending revocations, or none.
    static func waiting(for revocations: Int) -> LocalizedText {
        revocations == 0
            ? Message("console.settings.closed.going").localizedText
            : Message("console.settings.closed.waiting", count: revocations).localizedText
    }
}

/// List of teams in the operators' area.
struct OperatorTeamListPage: OperatorPage {
    static let template = "console/operator/teams"
    static let fields = frameFields.with {
        $0.text("action") { _ in OperatorRoutes.teams.link() }
        $0.text("newTeamURL") { _ in ConsoleRoutes.newTeam.link() }
        $0.optionalText("query") { $0.query }
        $0.list("rows", Row.fields) { $0.rows }
        $0.group("paging", PagingView.fields) { $0.paging }
    }

    struct Row: Sendable {
        let team: Team
        let isMember: Bool
        let isMemberless: Bool
        /// Whether it is the team of the Apple simulator.
        let isStandIn: Bool
        /// Pending revocations of a closed team; nil for other teams.
        let waiting: LocalizedText?

        static let fields = Fields<Row> {
            $0.optionalText("url") { $0.isMember ? ConsoleRoutes.overview.link($0.team.id) : nil }
            $0.text("name") { $0.team.settings.name.rawValue }
            $0.text("id") { $0.team.id.rawValue }
            $0.optionalText("ownURL") { row in
                row.isMemberless && !row.isStandIn ? OperatorRoutes.ownership.link(row.team.id) : nil
            }
            $0.flag("standIn") { $0.isStandIn }
            $0.flag("sandbox") { $0.team.settings.mode == .sandbox }
            $0.flag("leaving") { $0.team.closedAt == nil && $0.team.deletionDueAt != nil }
            $0.optionalWords("waiting") { $0.waiting }
            $0.flag("deleted") { $0.team.deletedAt != nil }
            $0.group("created", TimeView.fields) { TimeView($0.team.createdAt) }
            $0.text("jobsURL") { "\(OperatorRoutes.jobs.link())?team=\($0.team.id)" }
        }
    }

    let frame: OperatorFrame
    let query: String?
    let rows: [Row]
    let paging: PagingView
}
