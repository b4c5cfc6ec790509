import Accounts
import Audit
import Bytes
import Directory
import Domain
import Federation
import HTTP
import Localization
import OAuth
import Registry
import SignInTrace
import Templates
import Web

/// Pages of a team's users: search, details, sign-out, suspension, data export and deletion.
struct UserPages: Sendable {
    private static let pageSize = 50
    private static let eventLimit = 10
    private static let traceLimit = 5

    let site: Site
    private let list: UserListStore
    private let details: UserDetailStore
    private let identities: ProviderIdentityListStore
    private let providerTokens: UpstreamTokenListStore
    private let connections: AppleConnectionStore
    private let history: AuditStore
    let users: UserStore
    let sessions: SessionStore
    let authorizationEnds: AuthorizationEndStore
    let deletions: AccountDeletion
    let suspensions: UserSuspensionStore
    let exports: PersonExportStore
    let database: TeamDatabase
    private let factors: FactorStore
    private let traces: TraceListStore
    let server: ServerContext
    private let listPage: LivePage<UserListPage>
    let detailPage: LivePage<UserDetailPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        list = UserListStore(parts.database)
        details = UserDetailStore(parts.database)
        identities = ProviderIdentityListStore(parts.database)
        providerTokens = UpstreamTokenListStore(parts.database)
        connections = AppleConnectionStore(parts.database)
        history = AuditStore(parts.database)
        users = UserStore(parts.database)
        sessions = parts.sessions
        authorizationEnds = AuthorizationEndStore(parts.database)
        deletions = AccountDeletion(parts.database, random: parts.server.random)
        suspensions = UserSuspensionStore(parts.database)
        exports = PersonExportStore(parts.database)
        database = parts.database
        factors = FactorStore(parts.database)
        traces = TraceListStore(parts.database)
        server = parts.server
        listPage = try parts.site.pages.page(UserListPage.self)
        detailPage = try parts.site.pages.page(UserDetailPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.users, needs: .read, at: .users) { try await list($0) }
        router.get(ConsoleRoutes.user, needs: .read, at: .users) { try await show($0, $1) }
        mountChanges(on: &router)
    }

    private func list(_ context: TeamContext) async throws -> Response {
        let query = try context.request.parameters()
        let search = query["q"].flatMap(UserSearch.init)
        let trail = try PageHistory(
            ConsoleRoutes.users.link(context.teamID), query, filter: search.map { [("q", $0.text)] } ?? [])
        let page = try await list.page(
            in: context.teamID, matching: search,
            after: try trail.current.map { cursor throws(UserFacingError) in try Self.cursor(cursor) },
            limit: Self.pageSize)
        let next = page.next.map { PageHistory.Cursor(at: $0.createdAt, id: $0.subject.rawValue) }
        return site.respond(
            listPage,
            UserListPage(
                frame: context.frame(Message("console.users.title")), team: context.teamID, query: search?.text,
                hasAppleTokens: try await hasAppleTokens(in: context.teamID),
                rows: page.users.map { .init(user: $0, team: context.teamID) },
                paging: trail.paging(page.total.message, next: next)))
    }

    /// Includes tokens left by a deleted connection.
    private func hasAppleTokens(in team: TeamID) async throws -> Bool {
        if try await connections.hasAny(in: team) { return true }
        return try await providerTokens.hasAny(in: team)
    }

    private func show(_ context: TeamContext, _ subject: Subject) async throws -> Response {
        site.respond(detailPage, try await page(context, subject))
    }

    func page(_ context: TeamContext, _ subject: Subject) async throws -> UserDetailPage {
        let team = context.teamID
        guard let detail = try await details.find(subject, in: team, at: server.clock()) else {
            throw UserFacingError.notFound
        }
        let target = AuditEvent.Target("user", subject.rawValue)
        let entries = try await history.list(about: target, in: team, limit: Self.eventLimit)
        var filter = TraceFilter()
        filter.subject = subject
        let now = server.clock()
        let recent = try await traces.page(in: team, matching: filter, limit: Self.traceLimit, at: now)
        return UserDetailPage(
            frame: context.frame(detail.user.shownName), team: team, detail: detail,
            refreshTokens: try await details.refreshTokens(of: subject, in: team),
            factors: try await factors.enrolled(of: subject, in: team), apple: try await apple(detail.user, in: team),
            events: entries.map { AuditLine($0, in: team) },
            traces: recent.traces.map { UserTraceRow(trace: $0, team: team, now: now) },
            mayChange: context.may(.changeUsers))
    }

    private func apple(_ user: User, in team: TeamID) async throws -> [UserAppleView] {
        let known = try await identities.list(of: user.subject, in: team).filter { $0.provider == .apple }
        guard !known.isEmpty else { return [] }
        let tokens = try await providerTokens.list(of: user.subject, in: team)
        return known.map { UserAppleView(identity: $0, user: user, tokens: tokens) }
    }

    func find(_ subject: Subject, _ context: TeamContext) async throws -> User {
        guard let user = try await users.find(subject, in: context.teamID) else { throw UserFacingError.notFound }
        return user
    }

    private static func cursor(_ cursor: PageHistory.Cursor) throws(UserFacingError) -> UserPage.Cursor {
        guard let subject = Subject(rawValue: cursor.id) else { throw UserFacingError(HTTPError.badRequest) }
        return UserPage.Cursor(createdAt: cursor.at, subject: subject)
    }

    static var views: [any View.Type] { [UserListPage.self, UserDetailPage.self] }
}
