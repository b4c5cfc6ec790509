import AuthEngine
import Bytes
import Directory
import Domain
import HTTP
import Registry
import Templates
import Web

/// Notices to apps: what was sent, what came back, once more, and a try.
struct NoticePages: Sendable {
    private static let pageSize = 50

    private let site: Site
    private let context: EngineContext
    private let limits: SendingLimits
    private let list: NoticeListStore
    private let replays: NoticeReplayStore
    private let registry: RegistryStores
    private let listPage: LivePage<NoticeListPage>
    private let detailPage: LivePage<NoticeDetailPage>

    /// - Throws: `Diagnostics`, when a template does not fit its page.
    init(_ parts: Console.Parts) throws(Diagnostics) {
        site = parts.site
        context = parts.context
        limits = SendingLimits(LimitStore(parts.database))
        list = NoticeListStore(parts.database)
        replays = NoticeReplayStore(parts.database)
        registry = RegistryStores(
            parts.database,
            keyRing: parts.context.keyRing,
            random: parts.context.random,
            changed: parts.registryChanged
        )
        listPage = try parts.site.pages.page(NoticeListPage.self)
        detailPage = try parts.site.pages.page(NoticeDetailPage.self)
    }

    func mount(on router: inout ConsoleRouter) {
        router.get(NoticeRoutes.notices, needs: .read, at: .notices) { try await index($0) }
        router.post(NoticeRoutes.notices, needs: .changeRegistry, at: .notices) { try await test($0, $1) }
        router.get(NoticeRoutes.notice, needs: .read, at: .notices) { try await show($0, $1) }
        router.post(NoticeRoutes.replays, needs: .changeRegistry, at: .notices) { scope, _, id in
            try await replay(scope, id)
        }
    }

    private func index(_ scope: Scope) async throws -> Response {
        let team = scope.teamID
        let query = try scope.request.parameters()
        let search = NoticeSearch(query)
        let trail = try PageTrail(NoticeRoutes.notices.link(team), query, filter: search.parameters)
        let page = try await list.page(
            in: team,
            matching: search.filter,
            after: try trail.current.map { cursor throws(Web.Problem) in try Self.cursor(cursor) },
            limit: Self.pageSize
        )
        let next = page.next.map { PageTrail.Cursor(at: $0.createdAt, id: $0.id.rawValue) }
        let told = try await registry.primaries(in: team).filter { $0.notificationURL != nil }
        let mayTest = scope.may(.changeRegistry) && !told.isEmpty
        let view = NoticeListPage(
            frame: scope.frame(Phrase("console.notices.title")),
            team: team,
            search: search,
            rows: page.notices.map { NoticeRow(notice: $0, team: team) },
            paging: trail.paging(Self.summary(page.total), next: next),
            test: mayTest ? NoticeTestForm(action: NoticeRoutes.notices.link(team), appIDs: told) : nil,
            hasAddress: !told.isEmpty
        )
        return site.respond(listPage, view)
    }

    private static func summary(_ total: Int) -> Phrase {
        total > NoticeListStore.countLimit
            ? Phrase("console.notices.more", count: NoticeListStore.countLimit)
            : Phrase("console.notices.found", count: total)
    }

    private func show(_ scope: Scope, _ id: NoticeID) async throws -> Response {
        let notice = try await find(id, scope)
        let mayReplay = scope.may(.changeRegistry) && notice.state != .pending
        let view = NoticeDetailPage(
            frame: scope.frame(notice.type.rawValue),
            team: scope.teamID,
            notice: notice,
            attempts: try await list.attempts(of: id, in: scope.teamID),
            replayURL: mayReplay ? NoticeRoutes.replays.link(scope.teamID, id) : nil
        )
        return site.respond(detailPage, view)
    }

    private func test(_ scope: Scope, _ form: Form) async throws -> Response {
        guard let appID = form["appID"].flatMap(ClientID.init),
            let type = form["testType"].flatMap(NoticeType.init)
        else { throw Web.Problem(Refusal.badRequest) }
        let back = NoticeRoutes.notices.link(scope.teamID)
        if let refusal = try await refusal(to: appID, scope, back: back) { return refusal }
        let id = try await replays.test(
            type,
            to: appID,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        guard let id else { throw Web.Problem.notFound }
        return scope.redirect(
            to: NoticeRoutes.notice.link(scope.teamID, id),
            saying: .good(Phrase("console.notices.flash.tested"))
        )
    }

    private func replay(_ scope: Scope, _ id: NoticeID) async throws -> Response {
        let notice = try await find(id, scope)
        let back = NoticeRoutes.notice.link(scope.teamID, id)
        if let refusal = try await refusal(to: notice.appID, scope, back: back) { return refusal }
        let isWaiting = try await replays.replay(
            id,
            in: scope.teamID,
            by: scope.actor,
            from: scope.origin
        )
        return scope.redirect(
            to: NoticeRoutes.notice.link(scope.teamID, id),
            saying: isWaiting
                ? .good(Phrase("console.notices.flash.replayed"))
                : .warn(Phrase("console.notices.flash.waiting"))
        )
    }

    /// Says when the next one may be sent, where the team or the server it goes to has had too many.
    private func refusal(to appID: ClientID, _ scope: Scope, back: String) async throws -> Response? {
        let apps = try await registry.primaries(in: scope.teamID)
        let url = apps.first { $0.identifier == appID }?.notificationURL
        let wait = try await limits.charge(
            .testNotice,
            to: url?.authority,
            by: .account(scope.account.subject),
            in: scope.teamID,
            at: context.clock()
        )
        guard let wait else { return nil }
        let seconds = Int(max(1, wait.components.seconds))
        let flash = Flash.bad(Phrase("console.notices.flash.limited", count: seconds))
        return scope.redirect(to: back, saying: flash)
    }

    private func find(_ id: NoticeID, _ scope: Scope) async throws -> NoticeSummary {
        guard let notice = try await list.find(id, in: scope.teamID) else { throw Web.Problem.notFound }
        return notice
    }

    private static func cursor(_ cursor: PageTrail.Cursor) throws(Web.Problem) -> NoticePage.Cursor {
        guard let id = NoticeID(rawValue: cursor.id) else { throw Web.Problem(Refusal.badRequest) }
        return NoticePage.Cursor(createdAt: cursor.at, id: id)
    }

    static var views: [any View.Type] { [NoticeListPage.self, NoticeDetailPage.self] }
}
