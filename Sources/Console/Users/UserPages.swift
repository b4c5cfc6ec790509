import Audit
import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Registry
import Templates
import Web

/// The people of a team: found, looked at, signed out, suspended, handed out, deleted.
struct UserPages: Sendable {
    private static let pageSize = 50
    private static let eventLimit = 10
    private static let flowLimit = 5

    let site: Site
    private let list: UserListStore
    private let details: UserDetailStore
    private let identities: ProviderIdentityListStore
    private let providerTokens: ProviderTokenListStore
    private let connections: AppleConnectionStore
    private let history: AuditStore
    let users: UserStore
    let sessions: SessionStore
    let consents: ConsentEndStore
    let deletions: AccountDeletion
    let tokens: TokenRevocationStore
    let suspensions: UserSuspensionStore
    let exports: PersonExportStore
    private let limits: LimitStore
    private let factors: FactorStore
    private let flows: FlowListStore
    private let context: EngineContext
    private let listPage: LivePage<UserListPage>
    let detailPage: LivePage<UserDetailPage>

    /// - Throws: `Diagnostics`, when a template does not fit.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        list = UserListStore(parts.database)
        details = UserDetailStore(parts.database)
        identities = ProviderIdentityListStore(parts.database)
        providerTokens = ProviderTokenListStore(parts.database)
        connections = AppleConnectionStore(parts.database)
        history = AuditStore(parts.database)
        users = UserStore(parts.database)
        sessions = parts.sessions
        consents = ConsentEndStore(parts.database)
        deletions = AccountDeletion(parts.database, random: parts.context.random)
        tokens = TokenRevocationStore(parts.database)
        suspensions = UserSuspensionStore(parts.database)
        exports = PersonExportStore(parts.database)
        limits = LimitStore(parts.database)
        factors = FactorStore(parts.database)
        flows = FlowListStore(parts.database)
        context = parts.context
        listPage = try parts.site.pages.page(UserListPage.self)
        detailPage = try parts.site.pages.page(UserDetailPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(ConsoleRoutes.users, needs: .read, at: .users) { try await list($0) }
        router.get(ConsoleRoutes.user, needs: .read, at: .users) { try await show($0, $1) }
        mountChanges(on: &router)
    }

    private func list(_ scope: Scope) async throws -> Response {
        let query = try scope.request.parameters()
        let search = query["q"].flatMap(UserSearch.init)
        let trail = try PageTrail(
            ConsoleRoutes.users.link(scope.teamID),
            query,
            filter: search.map { [("q", $0.text)] } ?? []
        )
        let page = try await list.page(
            in: scope.teamID,
            matching: search,
            after: try trail.current.map { cursor throws(Web.Problem) in try Self.cursor(cursor) },
            limit: Self.pageSize
        )
        let next = page.next.map { PageTrail.Cursor(at: $0.createdAt, id: $0.subject.rawValue) }
        return site.respond(
            listPage,
            UserListPage(
                frame: scope.frame(Phrase("console.users.title")),
                team: scope.teamID,
                query: search?.text,
                hasAppleTokens: try await hasAppleTokens(in: scope.teamID),
                rows: page.users.map { .init(user: $0, team: scope.teamID) },
                paging: trail.paging(page.total.phrase, next: next)
            )
        )
    }

    /// What a connection that is gone left behind is shown as well.
    private func hasAppleTokens(in team: TeamID) async throws -> Bool {
        if try await connections.hasAny(in: team) { return true }
        return try await providerTokens.hasAny(in: team)
    }

    private func show(_ scope: Scope, _ subject: Subject) async throws -> Response {
        site.respond(detailPage, try await page(scope, subject))
    }

    func page(_ scope: Scope, _ subject: Subject) async throws -> UserDetailPage {
        let team = scope.teamID
        guard let detail = try await details.find(subject, in: team, at: context.clock()) else {
            throw Web.Problem.notFound
        }
        let target = AuditEvent.Target("user", subject.rawValue)
        let entries = try await history.list(about: target, in: team, limit: Self.eventLimit)
        var filter = FlowFilter()
        filter.subject = subject
        let now = context.clock()
        let recent = try await flows.page(in: team, matching: filter, limit: Self.flowLimit, at: now)
        return UserDetailPage(
            frame: scope.frame(detail.user.shownName),
            team: team,
            detail: detail,
            refreshTokens: try await details.refreshTokens(of: subject, in: team),
            factors: try await factors.enrolled(of: subject, in: team),
            apple: try await apple(detail.user, in: team),
            events: entries.map { AuditLine($0, in: team) },
            flows: recent.flows.map { UserFlowRow(flow: $0, team: team, now: now) },
            mayChange: scope.may(.changeUsers)
        )
    }

    private func apple(_ user: User, in team: TeamID) async throws -> [UserAppleView] {
        let known = try await identities.list(of: user.subject, in: team).filter { $0.provider == .apple }
        guard !known.isEmpty else { return [] }
        let tokens = try await providerTokens.list(of: user.subject, in: team)
        return known.map { UserAppleView(identity: $0, user: user, tokens: tokens) }
    }

    func find(_ subject: Subject, _ scope: Scope) async throws -> User {
        guard let user = try await users.find(subject, in: scope.teamID) else { throw Web.Problem.notFound }
        return user
    }

    private static func cursor(_ cursor: PageTrail.Cursor) throws(Web.Problem) -> UserPage.Cursor {
        guard let subject = Subject(rawValue: cursor.id) else { throw Problem(Refusal.badRequest) }
        return UserPage.Cursor(createdAt: cursor.at, subject: subject)
    }

    /// Exports of people's data in one team within an hour: each reads all there is of somebody.
    static let exportLimit = 100

    /// Counts an export.
    func chargeExport(_ scope: Scope) async throws {
        let now = context.clock()
        let wait = try await limits.charge(
            .team("person-exports"),
            limit: Self.exportLimit,
            window: .seconds(3600),
            in: scope.teamID,
            at: now
        )
        guard let wait else { return }
        throw Web.Problem(
            .tooManyRequests,
            Phrase("console.users.export.limited.headline"),
            Phrase("console.users.export.limited", ["limit": Self.exportLimit, "until": now + wait]),
            advice: Phrase("console.users.export.limited.advice"),
            retryAfter: Int(max(1, wait.components.seconds))
        )
    }

    static var views: [any View.Type] { [UserListPage.self, UserDetailPage.self] }
}
