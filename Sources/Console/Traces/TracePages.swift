import Bytes
import Directory
import Domain
import HTTP
import Localization
import OAuth
import SignInTrace
import Templates
import Web

/// Pages of the inspector: list of a team's sign-in traces, and each trace step by step.
struct TracePages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let server: ServerContext
    private let teams: TeamCache
    private let traces: TraceListStore
    private let details: TraceDetailStore
    private let users: UserStore
    private let standIn: String?
    private let listPage: LivePage<TraceListPage>
    private let detailPage: LivePage<TraceDetailPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        server = parts.server
        teams = parts.teams
        traces = TraceListStore(parts.database)
        details = TraceDetailStore(parts.database)
        users = UserStore(parts.database)
        standIn = parts.standIn?.pageURL
        listPage = try parts.site.pages.page(TraceListPage.self)
        detailPage = try parts.site.pages.page(TraceDetailPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.traces, needs: .read, at: .traces) { try await list($0) }
        router.get(ConsoleRoutes.trace, needs: .read, at: .traces) { try await show($0, $1) }
    }

    private func list(_ context: TeamContext) async throws -> Response {
        let address = try TraceAddress(context.request, in: context.teamID)
        let now = server.clock()
        if let reference = address.reference, let id = try await traces.find(reference, in: context.teamID, at: now) {
            return .redirect(to: ConsoleRoutes.trace.link(context.teamID, id))
        }
        let team = try await snapshot(context)
        let page = try await traces.page(
            in: context.teamID, matching: address.filter, after: address.cursor, limit: Self.pageSize, at: now)
        let names = try await names(of: page.traces.compactMap(\.subject), context)
        let rows = page.traces.map { trace in
            TraceListPage.Row(
                trace: trace, team: team, person: trace.subject.map { names[$0] ?? $0.rawValue }, now: now)
        }
        return site.respond(
            listPage,
            TraceListPage(
                frame: context.frame(Message("console.traces.title")), address: address, team: team,
                missing: address.reference, rows: rows, paging: address.paging(page)))
    }

    private func show(_ context: TeamContext, _ id: TraceID) async throws -> Response {
        guard let (trace, steps) = try await details.find(id, in: context.teamID) else {
            throw UserFacingError.notFound
        }
        let names = try await names(of: trace.subject.map { [$0] } ?? [], context)
        let team = try await snapshot(context)
        let story = TraceNarrative(trace, steps, of: team, at: server.clock(), standIn: standIn)
        return site.respond(
            detailPage,
            TraceDetailPage(
                frame: context.frame(Message("console.traces.one")), story: story,
                person: trace.subject.map { names[$0] ?? $0.rawValue }))
    }

    private func snapshot(_ context: TeamContext) async throws -> TeamSnapshot {
        guard let team = try await teams.snapshot(of: context.teamID, evenClosed: true) else {
            throw UserFacingError.notFound
        }
        return team
    }

    private func names(of subjects: [Subject], _ context: TeamContext) async throws -> [Subject: String] {
        let distinct = Array(Set(subjects))
        guard !distinct.isEmpty else { return [:] }
        let users = try await users.find(distinct, in: context.teamID)
        return Dictionary(uniqueKeysWithValues: users.map { ($0.subject, $0.shownName) })
    }

    static var views: [any View.Type] { [TraceListPage.self, TraceDetailPage.self] }
}
