import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Templates
import Web

/// The inspector: the sign-ins of a team, found and told step by step.
struct FlowPages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let context: EngineContext
    private let teams: TeamCache
    private let flows: FlowListStore
    private let details: FlowDetailStore
    private let users: UserStore
    private let standIn: String?
    private let listPage: LivePage<FlowListPage>
    private let detailPage: LivePage<FlowDetailPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        context = parts.context
        teams = parts.teams
        flows = FlowListStore(parts.database)
        details = FlowDetailStore(parts.database)
        users = UserStore(parts.database)
        standIn = parts.standIn?.pageURL
        listPage = try parts.site.pages.page(FlowListPage.self)
        detailPage = try parts.site.pages.page(FlowDetailPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.flows, needs: .read, at: .flows) { try await list($0) }
        router.get(ConsoleRoutes.flow, needs: .read, at: .flows) { try await show($0, $1) }
    }

    private func list(_ scope: Scope) async throws -> Response {
        let address = try FlowAddress(scope.request, in: scope.teamID)
        let now = context.clock()
        if let reference = address.reference,
            let id = try await flows.find(reference, in: scope.teamID, at: now)
        {
            return .redirect(to: ConsoleRoutes.flow.link(scope.teamID, id))
        }
        let team = try await snapshot(scope)
        let page = try await flows.page(
            in: scope.teamID,
            matching: address.filter,
            after: address.cursor,
            limit: Self.pageSize,
            at: now
        )
        let names = try await names(of: page.flows.compactMap(\.subject), scope)
        let rows = page.flows.map { flow in
            FlowListPage.Row(
                flow: flow,
                team: team,
                person: flow.subject.map { names[$0] ?? $0.rawValue },
                now: now
            )
        }
        return site.respond(
            listPage,
            FlowListPage(
                frame: scope.frame(Phrase("console.flows.title")),
                address: address,
                team: team,
                missing: address.reference,
                rows: rows,
                paging: address.paging(page)
            )
        )
    }

    private func show(_ scope: Scope, _ id: FlowID) async throws -> Response {
        guard let (flow, steps) = try await details.find(id, in: scope.teamID) else { throw Problem.notFound }
        let names = try await names(of: flow.subject.map { [$0] } ?? [], scope)
        let team = try await snapshot(scope)
        let story = FlowStory(flow, steps, of: team, at: context.clock(), standIn: standIn)
        return site.respond(
            detailPage,
            FlowDetailPage(
                frame: scope.frame(Phrase("console.flows.one")),
                story: story,
                person: flow.subject.map { names[$0] ?? $0.rawValue }
            )
        )
    }

    private func snapshot(_ scope: Scope) async throws -> TeamSnapshot {
        guard let team = try await teams.snapshot(of: scope.teamID, evenClosed: true) else {
            throw Problem.notFound
        }
        return team
    }

    private func names(of subjects: [Subject], _ scope: Scope) async throws -> [Subject: String] {
        let distinct = Array(Set(subjects))
        guard !distinct.isEmpty else { return [:] }
        let users = try await users.find(distinct, in: scope.teamID)
        return Dictionary(uniqueKeysWithValues: users.map { ($0.subject, $0.shownName) })
    }

    static var views: [any View.Type] { [FlowListPage.self, FlowDetailPage.self] }
}
