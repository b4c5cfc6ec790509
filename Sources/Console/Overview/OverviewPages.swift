import Audit
import AuthEngine
import Bytes
import Domain
import HTTP
import SignIn
import Templates
import Web

/// The first page of a team.
struct OverviewPages: Sendable {
    private static let eventLimit = 5
    private static let failureLimit = 5

    private let site: Site
    private let context: EngineContext
    private let progress: TeamProgressStore
    private let events: AuditStore
    private let counts: DailyCountStore
    private let flows: FlowListStore
    private let attention: TeamAttentionStore
    private let teams: TeamCache
    private let page: LivePage<OverviewPage>

    /// - Throws: `Diagnostics`, when the template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        context = parts.context
        progress = TeamProgressStore(parts.database)
        events = AuditStore(parts.database)
        counts = DailyCountStore(parts.database)
        flows = FlowListStore(parts.database)
        attention = TeamAttentionStore(parts.database)
        teams = parts.teams
        page = try parts.site.pages.page(OverviewPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.overview, needs: .read, at: .overview) { try await show($0) }
    }

    private func show(_ scope: Scope) async throws -> Response {
        let team = scope.teamID
        let progress = try await progress.find(team)
        let entries = try await events.list(in: team, limit: Self.eventLimit)
        let now = context.clock()
        let found = try await attention.find(team, at: now)
        return site.respond(
            page,
            OverviewPage(
                frame: scope.frame(Phrase("console.overview.title")),
                checklist: Checklist(progress, in: team),
                counts: Self.counts(progress, team),
                activity: Activity(
                    report: try await counts.report(of: team, days: Activity.days, at: now),
                    team: team
                ),
                failures: try await failures(in: team, at: now),
                attention: found.map { AttentionRow(attention: $0, team: team) },
                endpoints: endpoints(of: team),
                events: entries.map { AuditLine($0, in: team) }
            )
        )
    }

    private func failures(in team: TeamID, at now: Timestamp) async throws -> [FlowListPage.Row] {
        guard let snapshot = try await teams.snapshot(of: team, evenClosed: true) else { return [] }
        var filter = FlowFilter()
        filter.outcome = .failed
        let page = try await flows.page(in: team, matching: filter, limit: Self.failureLimit, at: now)
        return page.flows.map { FlowListPage.Row(flow: $0, team: snapshot, person: nil, now: now) }
    }

    private static func counts(_ progress: TeamProgress, _ team: TeamID) -> [OverviewPage.Count] {
        let limit = TeamProgressStore.userLimit
        let users =
            progress.users > limit
            ? Phrase("console.overview.more-than", ["number": limit]).asWords : .number(progress.users)
        return [
            .init(
                label: Phrase("console.overview.app-ids"),
                value: .number(progress.appIDs),
                url: ConsoleRoutes.appIDs.link(team)
            ),
            .init(
                label: Phrase("console.overview.service-ids"),
                value: .number(progress.serviceIDs),
                url: ConsoleRoutes.serviceIDs.link(team)
            ),
            .init(
                label: Phrase("console.overview.active-keys"),
                value: .number(progress.activeKeys),
                url: ConsoleRoutes.keys.link(team)
            ),
            .init(
                label: Phrase("console.overview.users"),
                value: users,
                url: ConsoleRoutes.users.link(team)
            ),
        ]
    }

    private func endpoints(of team: TeamID) -> [CopyView] {
        let host = context.publicURL
        return [
            CopyView(Phrase("console.overview.issuer"), context.base(of: team)),
            CopyView(Phrase("console.overview.authorize"), host + TeamRoutes.authorize.link(team)),
            CopyView(Phrase("console.overview.token"), host + TeamRoutes.token.link(team)),
            CopyView(Phrase("console.overview.revoke"), host + TeamRoutes.revoke.link(team)),
            CopyView(Phrase("console.overview.public-keys"), host + TeamRoutes.keys.link(team)),
            CopyView(Phrase("console.overview.discovery"), host + TeamRoutes.discovery.link(team)),
        ]
    }

    static var views: [any View.Type] { [OverviewPage.self] }
}
