import Accounts
import Core
import Directory
import Federation
import HTTP
import OAuth
import Platform
import Registry
import SignIn
import Templates

/// Pages of a team's users: search, details, sign-out, suspension, data export and deletion.
struct UserPages: ConsolePages {
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
    private let listPage: LivePage<ListPage>
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
        listPage = try parts.site.pages.page(ListPage.self)
        detailPage = try parts.site.pages.page(UserDetailPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.users, needs: .read, at: .users) { try await list($0) }
        router.get(ConsoleRoutes.user, needs: .read, at: .users) { try await show($0, $1) }
        mountChanges(on: &router)
    }

    private func list(_ context: TeamContext) async throws -> Response {
        let team = context.teamID
        let search = ListFilter.search(
            Message("console.users.search.label"), placeholder: Message("console.users.search.placeholder")
        ) { UserSearch($0) != nil }
        let query = try ListQuery(context.request, at: ConsoleRoutes.users.link(team), [search])
        let page = try await list.page(
            in: team, matching: UserSearch(query.search), after: query.after, limit: ListQuery.pageSize)
        let hasTokens = try await hasAppleTokens(in: team)
        let view = ListView(
            title: Message("console.users.title"), about: Message("console.users.about"),
            links: [
                hasTokens ? LinkView(Message("console.apple-tokens.link"), AppleTokenRoutes.tokens.link(team)) : nil,
                LinkView(Message("console.users.invitations"), UserInvitationRoutes.list.link(team)),
            ], query: query, content: .table(Self.table(page.items, team)),
            paging: query.paging(
                page.summary(
                    { Message("console.users.found", count: $0) },
                    more: { Message("console.users.found-more", count: $0) }), next: page.next),
            none: .init(
                "users", Message("console.users.none"), Message("console.users.none.advice"),
                LinkView(Message("console.users.none.action"), ConsoleRoutes.serviceIDs.link(team), isPrimary: true)),
            unmatched: .unmatched(
                Message("console.users.search.none", ["query": query.search]), Message("console.users.search.advice"),
                all: Message("console.users.search.all"), query))
        return site.respond(listPage, ListPage(context, view))
    }

    private static func table(_ users: [User], _ team: TeamID) -> ListTable {
        ListTable(
            [
                .init(Message("console.users.name")), .init(Message("console.users.email")),
                .init(Message("console.users.sub"), isWide: true),
                .init(Message("console.users.created"), isWide: true),
                .init(Message("console.users.last-sign-in"), isWide: true),
            ],
            users.map { user in
                [
                    [.link(user.shownName, ConsoleRoutes.user.link(team, user.subject))],
                    [
                        .text(user.email?.shown ?? ""),
                        user.relayAddress == nil ? nil : .badge(.plain, Message("console.users.hidden")),
                    ], [.code(user.subject.rawValue, isClipped: true)], [.text(user.createdAt)],
                    [.text(user.lastSignInAt ?? Message("console.users.never") as any LocalizedTextConvertible)],
                ]
            })
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
            events: entries.map { $0.row(in: team) },
            traces: recent.items.map { trace in
                ListRow(
                    trace.clientID?.rawValue ?? "", at: ConsoleRoutes.trace.link(team, trace.id),
                    end: [.badge(TraceStatus.badge(of: trace, at: now)), .text(trace.id.startedAt)], hasArrow: false)
            }, mayChange: context.may(.changeUsers))
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

    static var views: [any View.Type] { [UserDetailPage.self] }
}

extension User {
    /// Display name: the name, else the email, else the `sub`.
    var shownName: String { name.isEmpty ? email?.shown ?? subject.rawValue : name.full }
}
