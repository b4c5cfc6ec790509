import AuthEngine
import Bytes
import Domain
import HTTP
import Templates
import Web

/// What Apple does not take back: whose tokens cannot be revoked, or not be checked, and why.
struct AppleTokenPages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let list: ProviderTokenListStore
    private let listPage: LivePage<AppleTokenListPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        list = ProviderTokenListStore(parts.database)
        listPage = try parts.site.pages.page(AppleTokenListPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(AppleTokenRoutes.tokens, needs: .read, at: .users) { try await index($0) }
        router.post(AppleTokenRoutes.retrials, needs: .changeUsers, at: .users) { scope, _, id in
            try await retry(scope, id)
        }
    }

    private func index(_ scope: Scope) async throws -> Response {
        let team = scope.teamID
        let query = try scope.request.parameters()
        let search = AppleTokenSearch(query)
        let trail = try PageTrail(AppleTokenRoutes.tokens.link(team), query, filter: search.parameters)
        let page = try await list.page(
            in: team,
            matching: search.filter,
            after: try trail.current.map { cursor throws(Problem) in try Self.cursor(cursor) },
            limit: Self.pageSize
        )
        let next = page.next.map { PageTrail.Cursor(at: $0.problemAt, id: $0.id.rawValue) }
        let mayRetry = scope.may(.changeUsers)
        let view = AppleTokenListPage(
            frame: scope.frame(Phrase("console.apple-tokens.title")),
            team: team,
            search: search,
            rows: page.tokens.map { AppleTokenRow(token: $0, team: team, mayRetry: mayRetry) },
            paging: trail.paging(Self.summary(page.total), next: next)
        )
        return site.respond(listPage, view)
    }

    private static func summary(_ total: Int) -> Phrase {
        total > ProviderTokenListStore.countLimit
            ? Phrase("console.apple-tokens.more", count: ProviderTokenListStore.countLimit)
            : Phrase("console.apple-tokens.found", count: total)
    }

    private func retry(_ scope: Scope, _ id: ProviderTokenID) async throws -> Response {
        let isWaiting = try await list.retry(id, in: scope.teamID, by: scope.actor, from: scope.origin)
        guard isWaiting else { throw Problem.notFound }
        return scope.redirect(
            to: AppleTokenRoutes.tokens.link(scope.teamID),
            saying: .good(Phrase("console.apple-tokens.flash.retried"))
        )
    }

    private static func cursor(_ cursor: PageTrail.Cursor) throws(Problem) -> ProviderTokenPage.Cursor {
        guard let id = ProviderTokenID(rawValue: cursor.id) else { throw Problem(Refusal.badRequest) }
        return ProviderTokenPage.Cursor(problemAt: cursor.at, id: id)
    }

    static var views: [any View.Type] { [AppleTokenListPage.self] }
}
