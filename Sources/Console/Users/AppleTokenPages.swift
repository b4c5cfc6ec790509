import Accounts
import Bytes
import Domain
import Federation
import HTTP
import Localization
import Templates
import Web

/// Page of Apple tokens that could not be revoked or validated, with the reasons and a retry.
struct AppleTokenPages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let list: UpstreamTokenListStore
    private let accounts: AccountDeletion
    private let listPage: LivePage<AppleTokenListPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        list = UpstreamTokenListStore(parts.database)
        accounts = AccountDeletion(parts.database, random: parts.server.random)
        listPage = try parts.site.pages.page(AppleTokenListPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(AppleTokenRoutes.tokens, needs: .read, at: .users) { try await index($0) }
        router.post(AppleTokenRoutes.retrials, needs: .changeUsers, at: .users) { context, _, id in
            try await retry(context, id)
        }
    }

    private func index(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let query = try context.request.parameters()
        let search = AppleTokenSearch(query)
        let trail = try PageHistory(AppleTokenRoutes.tokens.link(team), query, filter: search.parameters)
        let page = try await list.page(
            in: team, matching: search.filter,
            after: try trail.current.map { cursor throws(UserFacingError) in try Self.cursor(cursor) },
            limit: Self.pageSize)
        let next = page.next.map { PageHistory.Cursor(at: $0.problemAt, id: $0.id.rawValue) }
        let mayRetry = context.may(.changeUsers)
        let view = AppleTokenListPage(
            frame: context.frame(Message("console.apple-tokens.title")), team: team, search: search,
            rows: page.tokens.map { AppleTokenRow(token: $0, team: team, mayRetry: mayRetry) },
            paging: trail.paging(Self.summary(page.total), next: next))
        return site.respond(listPage, view)
    }

    private static func summary(_ total: Int) -> Message {
        total > UpstreamTokenListStore.countLimit
            ? Message("console.apple-tokens.more", count: UpstreamTokenListStore.countLimit)
            : Message("console.apple-tokens.found", count: total)
    }

    private func retry(_ context: TeamContext, _ id: UpstreamTokenID) async throws -> Response {
        let isWaiting = try await list.retry(
            id, in: context.teamID, by: context.actor, from: context.origin, noting: accounts)
        guard isWaiting else { throw UserFacingError.notFound }
        return context.redirect(
            to: AppleTokenRoutes.tokens.link(context.teamID),
            saying: .good(Message("console.apple-tokens.flash.retried")))
    }

    private static func cursor(_ cursor: PageHistory.Cursor) throws(UserFacingError) -> UpstreamTokenPage.Cursor {
        guard let id = UpstreamTokenID(rawValue: cursor.id) else { throw UserFacingError(HTTPError.badRequest) }
        return UpstreamTokenPage.Cursor(problemAt: cursor.at, id: id)
    }

    static var views: [any View.Type] { [AppleTokenListPage.self] }
}
